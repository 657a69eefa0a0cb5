import AppReceiptKit
import AppReceiptSupport

/// One record: a receipt and its expectations.
///
/// A record may narrow the command's options, but not widen or change them, because records often come from data that the senders of
/// the receipts can edit.
struct BatchRecord {
    /// The id to repeat in the result; null if there is none.
    var id: JSONValue = .null
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

    /// The first error so far.
    var problem: Malformed?

    init(expected: Expectations) { expectations = expected }

    /// The known members and columns.
    enum Member: String {
        case id, path, receipt, environment
        case bundleID = "bundle-id"
        case appVersion = "app-version"
        case originalAppVersion = "original-app-version"
        case deviceID = "device-id"

        /// Whether it is an expectation rather than a part of the record itself.
        var isOption: Bool {
            switch self {
            case .id, .path, .receipt: false
            case .environment, .bundleID, .appVersion, .originalAppVersion, .deviceID: true
            }
        }
    }

    /// The error if the record doesn't contain exactly one receipt.
    var missing: Malformed? {
        switch (receipt, path) {
        case (nil, nil): .line("The record has neither 'receipt' nor 'path'.")
        case (_?, _?): .line("The record has both 'receipt' and 'path'.")
        default: nil
        }
    }

    /// Sets the value of a member or column. An empty one is treated as absent.
    mutating func set(_ member: Member, _ text: String) {
        guard !text.isEmpty else { return }
        switch member {
        case .id: id = .string(text)
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
                return reject("Expected production, sandbox or xcode as environment.")
            }
            narrow(\.environments, to: .only(Set(environments)), member) { $0.allows(environments) }
        case .deviceID:
            let names = text.split(separator: " ")
            let devices = names.compactMap { try? DeviceIdentifier(text: String($0)) }
            guard devices.count == names.count, !names.isEmpty else {
                return reject(
                    "Expected a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes as device.")
            }
            narrow(\.devices, to: .oneOf(devices), member) { $0.allows(devices) }
        }
    }

    /// Replaces an expectation of the command with the record's, if the command's allows it.
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

    private mutating func reject(_ message: String) {
        problem = problem ?? Malformed(code: "expectation-malformed", message: message)
    }
}
