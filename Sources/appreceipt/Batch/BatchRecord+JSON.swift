import AppReceiptKit
import AppReceiptSupport

extension BatchRecord {
    /// Reads an NDJSON object.
    ///
    /// - Returns: The record and its error, if it has one. A malformed record has its id, if that could be read.
    static func read(
        json line: ArraySlice<UInt8>, expected: Expectations
    ) -> (record: BatchRecord, malformed: Malformed?) {
        var record = BatchRecord(expected: expected)
        do throws(Malformed) {
            try record.parse(json: line)
            return (record, record.missing)
        } catch {
            return (record, error)
        }
    }

    private mutating func parse(json line: ArraySlice<UInt8>) throws(Malformed) {
        let span = line.span
        var scanner = JSONScanner(0..<span.count)
        var seen: Set<Member> = []
        do throws(JSONScanner.Fault) {
            guard try scanner.kind(span) == .object else { throw JSONScanner.Fault.unexpected(0) }
            try scanner.open(span, .object)
            var isFirst = true
            while try scanner.hasNext(span, in: .object, isFirst: isFirst) {
                isFirst = false
                let name = try scanner.name(span).decoded(line) ?? ""
                guard let member = Member(rawValue: name) else {
                    _ = try scanner.skip(span)
                    continue
                }
                guard seen.insert(member).inserted else {
                    throw JSONScanner.Fault.unexpected(scanner.position)
                }
                try set(member, line, span, &scanner)
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
        if let problem { throw problem }
    }

    private mutating func set(
        _ member: Member, _ line: ArraySlice<UInt8>, _ span: Span<UInt8>, _ scanner: inout JSONScanner
    ) throws(JSONScanner.Fault) {
        let name = member.rawValue
        switch try scanner.kind(span) {
        case .null:
            try scanner.null(span)
            // Treated as absent, it would silently disable a check.
            if member.isOption { problem = problem ?? .line("'\(name)' must not be null. Leave it out instead.") }
        case .string:
            let text = try scanner.string(span)
            if member == .receipt, !text.hasEscapes {
                // Not decoded: most of a record is its receipt.
                if !text.range.isEmpty { receipt = line.part(text.range) }
            } else if let decoded = text.decoded(line) {
                setText(member, decoded)
            } else {
                problem = problem ?? .line("'\(name)' isn't Unicode text.")
            }
        case .number where member == .id:
            let number = try scanner.number(span)
            id = (try? JSONValue(parsing: line.part(number))) ?? .null
        case .array where member == .environment || member == .deviceID:
            // Equivalent to its texts separated by spaces.
            let range = try scanner.skip(span)
            let texts = (try? JSONValue(parsing: line.part(range), depth: 1))?.array?.map(\.string) ?? [nil]
            guard !texts.contains(nil) else {
                problem = problem ?? .line("'\(name)' must be text, or a list of texts.")
                return
            }
            setText(member, texts.compactMap { $0 }.joined(separator: " "))
        default:
            _ = try scanner.skip(span)
            problem =
                problem ?? .line(member == .id ? "'id' must be text or a number." : "'\(name)' must be text.")
        }
    }

    /// Sets a member from JSON text. Unlike an empty column of CSV, an empty option is an error: members are optional.
    private mutating func setText(_ member: Member, _ text: String) {
        guard !text.isEmpty || !member.isOption else {
            problem = problem ?? .line("'\(member.rawValue)' must not be empty. Leave it out instead.")
            return
        }
        set(member, text)
    }
}
