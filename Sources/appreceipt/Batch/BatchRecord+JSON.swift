import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

extension BatchRecord {
    /// Reads a line: an object, or the receipt or token itself.
    ///
    /// - Parameter id: The name of the member with the id.
    /// - Returns: The record and its error, if it has one. A malformed record has its id, unless the line isn't JSON.
    static func read(
        line: ArraySlice<UInt8>, expected: Expectations, id: String
    ) -> (record: BatchRecord, malformed: Malformed?) {
        // Files that were joined have a byte order mark on any line.
        let line = line.withoutByteOrderMark
        let text = line.drop(while: Base64.isWhitespace)
        // A property list on one line begins like JSON.
        guard text.first == UInt8(ascii: "{"), !ReceiptInput.isTransactionReceipt(text) else {
            return (BatchRecord(bare: line, expected: expected), nil)
        }
        var record = BatchRecord(expected: expected)
        do throws(Malformed) {
            try record.read(json: line, id: id)
            return (record, record.missing)
        } catch {
            return (record, error)
        }
    }

    /// Limits the members without a meaning that are searched and remembered. A line may have millions.
    private static let maxUnknownMembers = 100

    private mutating func read(json line: ArraySlice<UInt8>, id: String) throws(Malformed) {
        let object = try Self.object(line)
        var seen: Set<Member> = []
        var others: [AppStoreJSON.Object.Member] = []
        for member in object.members {
            // The member 'receipt' of a verifyReceipt response is an object.
            guard let meaning = Member(member.name, id: id), meaning != .data || member.value.object == nil else {
                if others.count < Self.maxUnknownMembers { others.append(member) }
                continue
            }
            // A table may have several columns for the receipt or token, of which one isn't null.
            guard meaning == .data || seen.insert(meaning).inserted else {
                throw .line("The line has the member '\(member.name)' twice.")
            }
            set(meaning, to: member.value, named: member.name)
        }
        let searchesOthers = data == nil && path == nil
        // StoreKit 2's JSON without a signature, or a version 1 notification, whose receipt may be a member of it.
        if searchesOthers || object["notification_type"] != nil, object.tokenMistake != nil {
            return set(wholeLine: line)
        }
        for other in others {
            if searchesOthers, set(nested: other) { continue }
            unknownMembers.append(other.name)
        }
        if let problem { throw problem }
    }

    private static func object(_ line: ArraySlice<UInt8>) throws(Malformed) -> AppStoreJSON.Object {
        do throws(AppStoreJSON.Fault) {
            guard let object = try AppStoreJSON(parsing: line).object else {
                throw AppStoreJSON.Fault.malformed(0)
            }
            return object
        } catch {
            throw .line("The line is \(error.predicate).")
        }
    }

    /// Sets the receipt or token in a member without a meaning, such as the body of a request in an archive.
    ///
    /// - Returns: Whether there is one.
    private mutating func set(nested member: AppStoreJSON.Object.Member) -> Bool {
        let input = EvidenceInput(AppStoreJSON.object(AppStoreJSON.Object(distinct: [member])).text())
        guard !input.enclosingObjects.isEmpty else { return false }
        if !input.options.isEmpty { problem = problem ?? .nested(input.options) }
        for item in input.items {
            switch item {
            case .receipt(let bytes), .transactionReceipt(let bytes): set(data: bytes)
            case .token(let token): set(data: ArraySlice(token.utf8))
            }
        }
        return true
    }

    private mutating func set(_ member: Member, to value: AppStoreJSON, named name: String) {
        switch value {
        case .null:
            // Treated as absent, it would silently disable a check.
            if member.option != nil { problem = problem ?? .line("'\(name)' must not be null. Leave it out instead.") }
        case .string(let text) where text.isEmpty && member.option != nil:
            // Unlike an empty column of CSV: members are optional.
            problem = problem ?? .line("'\(name)' must not be empty. Leave it out instead.")
        case .string(let text):
            set(member, to: text)
        case .number where member == .id:
            id = value
        case .array(let elements) where member.option?.isRepeatable == true:
            // Equivalent to its texts separated by spaces.
            let texts = elements.compactMap(\.string)
            guard texts.count == elements.count else {
                problem = problem ?? .line("'\(name)' must be text, or a list of texts.")
                return
            }
            set(member, to: .string(texts.joined(separator: " ")), named: name)
        default:
            problem =
                problem ?? .line(member == .id ? "'\(name)' must be text or a number." : "'\(name)' must be text.")
        }
    }
}
