import AppReceiptKit

/// One record: a receipt, and what is expected of it.
struct BatchRecord {
    /// What comes back in the answer, as JSON; null if there is none.
    var id: [UInt8] = Array("null".utf8)
    var path: String?
    var receipt: ArraySlice<UInt8>?
    var expectations: Expectations

    /// What is wrong with a line; a receipt was not judged.
    struct Malformed: Error {
        let code: String
        let message: String

        static func line(_ message: String) -> Malformed { Malformed(code: "line-malformed", message: message) }
    }

    /// The first thing that is wrong with what was taken so far.
    private var problem: Malformed?

    private init(expected: Expectations) { expectations = expected }

    /// The members or columns that mean something.
    enum Member: String {
        case id, path, receipt, environment
        case bundleID = "bundle-id"
        case appVersion = "app-version"
        case originalAppVersion = "original-app-version"
        case deviceID = "device-id"
    }

    /// What is wrong if there is not exactly one receipt.
    private var missing: Malformed? {
        switch (receipt, path) {
        case (nil, nil): .line("There is neither 'receipt' nor 'path'.")
        case (_?, _?): .line("There are both 'receipt' and 'path'.")
        default: nil
        }
    }

    /// Sets what a member or column says; empty is as good as absent.
    private mutating func take(_ name: String, _ text: String) {
        guard !text.isEmpty else { return }
        switch Member(rawValue: name) {
        case .id: id = JSONText.quoted(text)
        case .path: path = text
        case .receipt: receipt = ArraySlice(text.utf8)
        case .bundleID: expectations.bundleIdentifier = .identifier(text)
        case .appVersion: expectations.appVersion = text
        case .originalAppVersion: expectations.originalAppVersion = text
        case .environment:
            let names = text.split(separator: " ")
            let environments = names.compactMap { ReceiptEnvironment.Base(rawValue: String($0)) }
            guard environments.count == names.count, !names.isEmpty else {
                return note("An environment is production, sandbox or xcode.")
            }
            expectations.environments = .only(Set(environments))
        case .deviceID:
            let names = text.split(separator: " ")
            let devices = names.compactMap { try? DeviceIdentifier(text: String($0)) }
            guard devices.count == names.count, !names.isEmpty else {
                return note("A device is a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes.")
            }
            expectations.devices = .oneOf(devices)
        case nil: break
        }
    }

    private mutating func note(_ message: String) {
        problem = problem ?? Malformed(code: "expectation-malformed", message: message)
    }
}

extension BatchRecord {
    /// An object of NDJSON.
    ///
    /// - Returns: the record, or what is wrong with it and its id, if that could be read.
    static func read(
        json line: ArraySlice<UInt8>, expected: Expectations
    ) -> (record: BatchRecord, malformed: Malformed?) {
        var record = BatchRecord(expected: expected)
        do throws(Malformed) {
            try record.take(json: line)
            return (record, record.missing)
        } catch {
            return (record, error)
        }
    }

    private mutating func take(json line: ArraySlice<UInt8>) throws(Malformed) {
        let span = line.span
        var scanner = JSONScanner(0..<span.count)
        var seen: Set<String> = []
        do throws(JSONScanner.Fault) {
            guard try scanner.kind(span) == .object else { throw JSONScanner.Fault.unexpected(0) }
            try scanner.open(span, .object)
            var isFirst = true
            while try scanner.hasNext(span, in: .object, isFirst: isFirst) {
                isFirst = false
                let name = try scanner.name(span).decoded(line) ?? ""
                guard Member(rawValue: name) != nil else {
                    _ = try scanner.skip(span)
                    continue
                }
                guard seen.insert(name).inserted else {
                    throw JSONScanner.Fault.unexpected(scanner.position)
                }
                try takeMember(name, line, span, &scanner)
            }
            try scanner.finish(span)
        } catch {
            switch error {
            case .unexpected(let position):
                throw .line("The line is no JSON object, or has a member twice (at byte \(position) of the line).")
            case .tooDeep(let position):
                throw .line("The line is nested too deep (at byte \(position) of the line).")
            }
        }
        if let problem { throw problem }
    }

    private mutating func takeMember(
        _ name: String, _ line: ArraySlice<UInt8>, _ span: Span<UInt8>, _ scanner: inout JSONScanner
    ) throws(JSONScanner.Fault) {
        switch try scanner.kind(span) {
        case .null:
            try scanner.null(span)
        case .string:
            let text = try scanner.string(span)
            if name == Member.receipt.rawValue, !text.hasEscapes {
                // As it stands there: nine in ten octets of a record are those of its receipt.
                if !text.range.isEmpty { receipt = line.part(text.range) }
            } else if let decoded = text.decoded(line) {
                take(name, decoded)
            } else {
                problem = problem ?? .line("The member '\(name)' is no Unicode text.")
            }
        case .number where name == Member.id.rawValue:
            id = Array(line.part(try scanner.number(span)))
        case .array where name == Member.environment.rawValue || name == Member.deviceID.rawValue:
            // A list means the same as its texts parted by blanks.
            let range = try scanner.skip(span)
            let texts = (try? JSONValue(parsing: line.part(range), depth: 1))?.array?.map(\.string) ?? [nil]
            guard !texts.contains(nil) else {
                problem = problem ?? .line("The member '\(name)' must be text, or a list of texts.")
                return
            }
            take(name, texts.compactMap { $0 }.joined(separator: " "))
        default:
            _ = try scanner.skip(span)
            problem =
                problem
                ?? .line(
                    name == Member.id.rawValue
                        ? "The member 'id' must be text or a number." : "The member '\(name)' must be text.")
        }
    }

    /// A record of CSV.
    static func read(
        csv csvRecord: CSVRecords.Record, columns: [String], expected: Expectations
    ) -> (record: BatchRecord, malformed: Malformed?) {
        var record = BatchRecord(expected: expected)
        for (name, field) in zip(columns, csvRecord.fields) where !field.octets.isEmpty {
            if name == Member.receipt.rawValue {
                record.receipt = field.unquoted
            } else {
                record.take(name, field.text)
            }
        }
        guard !csvRecord.isOpen else {
            return (record, .line("A quotation mark is never closed: the rest of the input belongs to this record."))
        }
        guard !csvRecord.isMalformed else {
            return (record, .line("Something stands between a closing quotation mark and the next comma."))
        }
        // One that was cut would lose what is expected of it.
        guard csvRecord.count == columns.count else {
            return (record, .line("There are \(csvRecord.count) fields, and \(columns.count) columns."))
        }
        return (record, record.problem ?? record.missing)
    }
}
