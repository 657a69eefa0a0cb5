import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// One record: a receipt or token, and its expectations.
///
/// A record may narrow the command's options, but not widen or change them, because records often come from data that
/// the senders of the receipts can edit.
struct BatchRecord {
    /// The id to repeat in the result; null if there is none.
    var id: AppStoreJSON = .null
    var path: String?
    /// The receipt or token as text, in any form that ``EvidenceInput`` reads.
    private(set) var data: ArraySlice<UInt8>?
    /// Whether the record is the receipt or token itself, without an object or row around it.
    private(set) var isBare = false
    /// Names of members that have no meaning, the first ones.
    var unknownMembers: [String] = []
    /// The command's expectations, narrowed by the record's.
    private(set) var expectations: Expectations

    /// The reason why a record isn't validated.
    struct Malformed: Error {
        let code: String
        let message: String

        static func line(_ message: String) -> Malformed { Malformed(code: "line-malformed", message: message) }

        static func conflict(_ option: ExpectationOption) -> Malformed {
            Malformed(
                code: "option-conflict",
                message: "'\(option.name)' in the record allows something that --\(option.name) doesn't allow. "
                    + "A record can narrow the options of the command, not widen or change them.")
        }

        /// - Parameter options: The expectations that only receipts can meet.
        static func notApplicable(_ options: [ExpectationOption]) -> Malformed {
            let names = options.map { "'\($0.name)'" }.joined(separator: ", ")
            return Malformed(
                code: "option-not-applicable",
                message: "The record is a token, and only receipts can be compared with \(names).")
        }

        /// - Parameter options: The options that would be ignored, which would silently disable a check.
        static func nested(_ options: [String]) -> Malformed {
            let names = options.map { "'\($0)'" }.joined(separator: ", ")
            return line(
                "The receipt or token is inside of JSON with \(names), which applies only as a member of the record "
                    + "itself."
            )
        }

        static let severalItems = line("The record contains several receipts or tokens. Write each on its own line.")
        static let unrecognized = line("The line is neither a JSON object nor a receipt or token.")
    }

    /// The first error so far.
    var problem: Malformed?

    init(expected: Expectations) { expectations = expected }

    /// A record that is the receipt or token itself.
    init(bare line: ArraySlice<UInt8>, expected: Expectations) {
        expectations = expected
        data = line
        isBare = true
    }

    /// The known members and columns.
    enum Member: Hashable {
        case id, path
        /// The receipt or token, under any name of ``EvidenceInput/members``.
        case data
        /// An option of ``ExpectationOption``, by its name.
        case option(String)

        /// - Parameters:
        ///   - name: The name as it is spelled in the record or header.
        ///   - id: The name of the member or column with the id.
        init?(_ name: String, id: String) {
            if name == id {
                self = .id
            } else if let member = Self.known(name) {
                self = member
            } else {
                let canonical = EvidenceInput.canonicalName(name)
                guard let member = canonical == EvidenceInput.canonicalName(id) ? .id : Self.known(canonical) else {
                    return nil
                }
                self = member
            }
        }

        /// - Parameter name: The canonical name.
        private static func known(_ name: String) -> Member? {
            if name == "path" { return .path }
            if ExpectationOption.all.contains(where: { $0.name == name }) { return .option(name) }
            return EvidenceInput.isMember(canonical: name) ? .data : nil
        }

        /// The option, nil for a part of the record itself.
        var option: ExpectationOption? {
            guard case .option(let name) = self else { return nil }
            return ExpectationOption.all.first { $0.name == name }
        }

        /// The canonical names of all members but the id.
        static let names = ["receipt", "path"] + ExpectationOption.all.map(\.name)

        /// The names of the members and columns with the receipt or token, for messages.
        static let sources = (EvidenceInput.members.sorted() + ["path"]).joined(separator: ", ")
    }

    /// The error if the record doesn't contain exactly one receipt or token.
    var missing: Malformed? {
        switch (data, path) {
        case (nil, nil): .line("The record has no receipt or token. Expected one of \(Member.sources).")
        case (_?, _?): .line("The record has both a receipt or token and 'path'.")
        default: nil
        }
    }

    /// Sets the receipt or token. An empty one is treated as absent: a table may have a column for each kind.
    mutating func set(data bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        if data != nil { problem = problem ?? .severalItems }
        data = bytes
    }

    /// Sets JSON whose members aren't those of a record as the data.
    mutating func set(wholeLine line: ArraySlice<UInt8>) {
        problem = nil
        data = line
    }

    /// Sets the value of a member or column. An empty one is treated as absent.
    mutating func set(_ member: Member, to text: String) {
        guard !text.isEmpty else { return }
        switch member {
        case .id: id = .string(text)
        case .path: path = text
        case .data: set(data: ArraySlice(text.utf8))
        case .option: member.option.map { narrow($0, to: text) }
        }
    }

    /// Replaces an expectation of the command with the record's, if the command's allows it.
    private mutating func narrow(_ option: ExpectationOption, to text: String) {
        var texts = option.isRepeatable ? text.split(separator: " ").map { String($0) } : [text]
        // Responses of verifyReceipt contain "Production" and "Sandbox".
        if option.name == ExpectationOption.environments.name { texts = texts.map { $0.lowercased() } }
        var narrowed = expectations
        guard !texts.isEmpty, option.set(texts, in: &narrowed) else {
            problem =
                problem
                ?? Malformed(code: "expectation-malformed", message: "'\(option.name)' must be \(option.form).")
            return
        }
        guard option.narrows(expectations, to: narrowed) else {
            problem = problem ?? .conflict(option)
            return
        }
        expectations = narrowed
    }
}
