import AppReceiptKit
import AppReceiptSupport

/// One record: a receipt, and what is expected of it.
///
/// The command's options bound every record. A record may narrow them, but not widen or change them: records often come
/// from data that whoever sent the receipts can write to.
struct BatchRecord {
    /// What comes back in the answer, as JSON; null if there is none.
    var id: [UInt8] = Array("null".utf8)
    var path: String?
    var receipt: ArraySlice<UInt8>?
    /// The command's expectations, narrowed by the record's.
    private(set) var expectations: Expectations

    /// Why a record isn't validated.
    struct Malformed: Error {
        let code: String
        let message: String

        static func line(_ message: String) -> Malformed { Malformed(code: "line-malformed", message: message) }

        static func conflict(_ option: Member) -> Malformed {
            Malformed(
                code: "option-conflict",
                message: "'\(option.rawValue)' in the record allows something that --\(option.rawValue) doesn't allow. "
                    + "A record can narrow the options of the command, not widen or change them.")
        }
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

        /// Whether it is an expectation, and not a part of the record itself.
        var isOption: Bool {
            switch self {
            case .id, .path, .receipt: false
            case .environment, .bundleID, .appVersion, .originalAppVersion, .deviceID: true
            }
        }
    }

    /// What is wrong if there is not exactly one receipt.
    private var missing: Malformed? {
        switch (receipt, path) {
        case (nil, nil): .line("There is neither 'receipt' nor 'path'.")
        case (_?, _?): .line("There are both 'receipt' and 'path'.")
        default: nil
        }
    }

    /// Sets the value of a member or column. An empty one is treated as absent.
    private mutating func take(_ member: Member, _ text: String) {
        guard !text.isEmpty else { return }
        switch member {
        case .id: id = JSONText.quoted(text)
        case .path: path = text
        case .receipt: receipt = ArraySlice(text.utf8)
        case .bundleID:
            narrow(\.bundleIdentifier, to: .identifier(text), member) { $0.allows(text) }
        case .appVersion:
            narrow(\.appVersion, to: text, member) { $0.map { $0.utf8.elementsEqual(text.utf8) } ?? true }
        case .originalAppVersion:
            narrow(\.originalAppVersion, to: text, member) { $0.map { $0.utf8.elementsEqual(text.utf8) } ?? true }
        case .environment:
            let names = text.split(separator: " ")
            let environments = names.compactMap { ReceiptEnvironment.Base(rawValue: String($0)) }
            guard environments.count == names.count, !names.isEmpty else {
                return note("An environment is production, sandbox or xcode.")
            }
            narrow(\.environments, to: .only(Set(environments)), member) { $0.allows(environments) }
        case .deviceID:
            let names = text.split(separator: " ")
            let devices = names.compactMap { try? DeviceIdentifier(text: String($0)) }
            guard devices.count == names.count, !names.isEmpty else {
                return note("A device is a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes.")
            }
            narrow(\.devices, to: .oneOf(devices), member) { $0.allows(devices) }
        }
    }

    /// Replaces an expectation of the command by the record's, if the command's allows it.
    private mutating func narrow<Value>(
        _ expectation: WritableKeyPath<Expectations, Value>, to value: Value, _ member: Member,
        ifAllowed isAllowed: (Value) -> Bool
    ) {
        guard isAllowed(expectations[keyPath: expectation]) else {
            problem = problem ?? .conflict(member)
            return
        }
        expectations[keyPath: expectation] = value
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
                try take(member, line, span, &scanner)
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

    private mutating func take(
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
                // Not decoded: the receipt is nine tenths of a record.
                if !text.range.isEmpty { receipt = line.part(text.range) }
            } else if let decoded = text.decoded(line) {
                takeText(member, decoded)
            } else {
                problem = problem ?? .line("'\(name)' isn't Unicode text.")
            }
        case .number where member == .id:
            id = Array(line.part(try scanner.number(span)))
        case .array where member == .environment || member == .deviceID:
            // Equivalent to its texts separated by spaces.
            let range = try scanner.skip(span)
            let texts = (try? JSONValue(parsing: line.part(range), depth: 1))?.array?.map(\.string) ?? [nil]
            guard !texts.contains(nil) else {
                problem = problem ?? .line("'\(name)' must be text, or a list of texts.")
                return
            }
            takeText(member, texts.compactMap { $0 }.joined(separator: " "))
        default:
            _ = try scanner.skip(span)
            problem =
                problem ?? .line(member == .id ? "'id' must be text or a number." : "'\(name)' must be text.")
        }
    }

    /// Sets the text of a JSON member. Every row has every column, but a member is there on purpose: an empty option is an
    /// error.
    private mutating func takeText(_ member: Member, _ text: String) {
        guard !text.isEmpty || !member.isOption else {
            problem = problem ?? .line("'\(member.rawValue)' must not be empty. Leave it out instead.")
            return
        }
        take(member, text)
    }

    /// A record of CSV.
    static func read(
        csv csvRecord: CSVRecords.Record, columns: [String], expected: Expectations
    ) -> (record: BatchRecord, malformed: Malformed?) {
        var record = BatchRecord(expected: expected)
        for (name, field) in zip(columns, csvRecord.fields) where !field.octets.isEmpty {
            switch Member(rawValue: name) {
            case .receipt: record.receipt = field.unquoted
            case let member?: record.take(member, field.text)
            case nil: break
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

extension Expectations.BundleIdentifier {
    /// Whether this app is accepted, compared byte by byte as with a receipt.
    fileprivate func allows(_ identifier: String) -> Bool {
        switch self {
        case .anyBundle: true
        case .identifier(let allowed): allowed.utf8.elementsEqual(identifier.utf8)
        }
    }
}

extension Expectations.Environments {
    /// Whether all of these are accepted.
    fileprivate func allows(_ environments: [ReceiptEnvironment.Base]) -> Bool {
        switch self {
        case .anyEnvironment: true
        case .only(let allowed): allowed.isSuperset(of: environments)
        }
    }
}

extension Expectations.Devices {
    /// Whether all of these are accepted.
    fileprivate func allows(_ devices: [DeviceIdentifier]) -> Bool {
        switch self {
        case .anyDevice: true
        case .oneOf(let allowed): devices.allSatisfy { allowed.contains($0) }
        }
    }
}
