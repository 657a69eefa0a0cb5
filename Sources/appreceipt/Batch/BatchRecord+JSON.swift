import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

extension BatchRecord {
    /// Reads a line: an object, or the receipt or token itself.
    ///
    /// - Parameter id: The name of the member with the id.
    /// - Returns: The record and its error, if it has one. A malformed record has its id, if that could be read.
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
            try record.parse(json: line, id: id)
            return (record, record.missing)
        } catch {
            return (record, error)
        }
    }

    /// Limits the members without a meaning that are remembered. A line may have millions.
    private static let maxUnknownMembers = 100

    private mutating func parse(json line: ArraySlice<UInt8>, id: String) throws(Malformed) {
        let span = line.span
        var scanner = JSONScanner(0..<span.count)
        var seen: Set<Member> = []
        // The members without a meaning, with their names.
        var others: [(name: String, range: Range<Int>)] = []
        do throws(JSONScanner.Fault) {
            guard try scanner.kind(span) == .object else { throw JSONScanner.Fault.unexpected(0) }
            try scanner.open(span, .object)
            var isFirst = true
            while try scanner.hasNext(span, in: .object, isFirst: isFirst) {
                isFirst = false
                let text = try scanner.name(span)
                let name = text.decoded(line) ?? ""
                let isObject = try scanner.kind(span) == .object
                // The member 'receipt' of a verifyReceipt response is an object.
                guard let member = Member(name, id: id), !isObject || member != .data else {
                    let value = try scanner.skip(span)
                    if others.count < Self.maxUnknownMembers {
                        others.append((name, text.range.lowerBound - 1..<value.upperBound))
                    }
                    continue
                }
                // A table may have several columns for the receipt or token, of which one isn't null.
                guard member == .data || seen.insert(member).inserted else {
                    throw JSONScanner.Fault.unexpected(scanner.position)
                }
                try set(member, name, line, span, &scanner)
            }
            try scanner.finish(span)
        } catch {
            switch error {
            case .unexpected(let position):
                throw .line("The line isn't a JSON object, or has a member twice (byte \(position) of the line).")
            case .tooDeep(let position):
                throw .line("The JSON is nested too deeply (byte \(position) of the line).")
            }
        }
        let searchesOthers = data == nil && path == nil
        // StoreKit 2's JSON without a signature, or a version 1 notification, whose receipt may be a member of it.
        if searchesOthers || others.contains(where: { $0.name == "notification_type" }),
            (try? JSONValue(parsing: line))?.object?.tokenMistake != nil
        {
            return set(wholeLine: line)
        }
        for other in others {
            if searchesOthers, set(nested: line.part(other.range)) { continue }
            unknownMembers.append(other.name)
        }
        if let problem { throw problem }
    }

    /// Sets the receipt or token in a member without a meaning, such as the body of a request in an archive.
    ///
    /// - Returns: Whether there is one.
    private mutating func set(nested member: ArraySlice<UInt8>) -> Bool {
        let input = EvidenceInput([UInt8(ascii: "{")] + member + [UInt8(ascii: "}")])
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

    private mutating func set(
        _ member: Member, _ name: String, _ line: ArraySlice<UInt8>, _ span: Span<UInt8>, _ scanner: inout JSONScanner
    ) throws(JSONScanner.Fault) {
        switch try scanner.kind(span) {
        case .null:
            try scanner.null(span)
            // Treated as absent, it would silently disable a check.
            if member.option != nil { problem = problem ?? .line("'\(name)' must not be null. Leave it out instead.") }
        case .string:
            let text = try scanner.string(span)
            if member == .data, !text.hasEscapes {
                // Not decoded: most of a record is its receipt.
                set(data: line.part(text.range))
            } else if let decoded = text.decoded(line) {
                setText(member, to: decoded)
            } else {
                problem = problem ?? .line("'\(name)' isn't Unicode text.")
            }
        case .number where member == .id:
            let number = try scanner.number(span)
            id = (try? JSONValue(parsing: line.part(number))) ?? .null
        case .array where member.option?.isRepeatable == true:
            // Equivalent to its texts separated by spaces.
            let range = try scanner.skip(span)
            let texts = (try? JSONValue(parsing: line.part(range), depth: 1))?.array?.map(\.string) ?? [nil]
            guard !texts.contains(nil) else {
                problem = problem ?? .line("'\(name)' must be text, or a list of texts.")
                return
            }
            setText(member, to: texts.compactMap { $0 }.joined(separator: " "))
        default:
            _ = try scanner.skip(span)
            problem =
                problem ?? .line(member == .id ? "'\(name)' must be text or a number." : "'\(name)' must be text.")
        }
    }

    /// Sets a member from JSON text. Unlike an empty column of CSV, an empty option is an error: members are optional.
    private mutating func setText(_ member: Member, to text: String) {
        if text.isEmpty, let option = member.option {
            problem = problem ?? .line("'\(option.name)' must not be empty. Leave it out instead.")
            return
        }
        set(member, to: text)
    }
}
