#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import ArgumentParser
import AppReceiptSupport

/// The settings of the server, from options, the environment and a file, in this order of precedence.
struct Settings {
    /// The names of all settings. The first two can't be given as options, because they are secrets.
    static let names: Set = [
        "shared-secret", "token", "host", "port", "allowed-host", "database", "log-level", "log-format", "bundle-id",
        "environment",
        "app-apple-id", "answer-both", "renewal-info", "shared-secret-file", "token-file", "no-inspector", "root",
        "trust-xcode",
        "transaction-intermediate", "max-body", "max-bodies", "max-connections", "max-requests", "idle-timeout",
        "body-timeout", "answer-timeout", "wait-timeout", "stop-timeout", "store-key", "store-key-id",
        "store-issuer-id",
        "store-refresh", "store-patience", "store-base-url", "store-sandbox-base-url",
    ]

    /// The settings that may have several values.
    private static let lists: Set = ["allowed-host", "bundle-id", "environment", "root", "transaction-intermediate"]

    /// The settings that must not be empty. An empty value would silently disable a restriction.
    private static let nonEmptyNames: Set = [
        "token", "token-file", "shared-secret", "shared-secret-file", "bundle-id", "environment", "app-apple-id",
        // Without it, recorded purchases are lost when the process ends.
        "database", "store-key", "store-key-id", "store-issuer-id",
    ]

    /// The settings that must be strings in the file; numbers aren't converted.
    private static let secrets: Set = ["token", "shared-secret"]

    /// The values of a setting, and their source for messages.
    struct Setting {
        let texts: [String]
        let source: String
    }

    private var values: [String: Setting] = [:]

    /// - Parameters:
    ///   - options: The values from the command line.
    ///   - file: The path of the configuration file; nil if the environment may name one.
    ///   - environment: The environment variables.
    init(
        options: [SettingValues], file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        if let file = file ?? environment["APPRECEIPT_CONFIG"] { try read(file: file) }
        for name in Self.names {
            let variable = Self.variable(name)
            guard let text = environment[variable] else { continue }
            let texts = Self.lists.contains(name) ? text.split(separator: " ").map(String.init) : [text]
            guard !texts.allSatisfy(\.isEmpty) else {
                // An unintentionally empty variable must not disable a restriction.
                if Self.nonEmptyNames.contains(name) {
                    throw Self.invalid("\(variable): It must not be empty. Set a value or unset it.")
                }
                continue
            }
            values[name] = Setting(texts: texts, source: variable)
        }
        let known = Set(Self.names.map(Self.variable)).union(["APPRECEIPT_CONFIG"])
        for variable in environment.keys.sorted() where variable.hasPrefix("APPRECEIPT_") && !known.contains(variable) {
            Terminal.note("\(variable): Unknown setting, ignored.")
        }
        for option in options where !option.values.isEmpty {
            values[option.name] = Setting(texts: option.values, source: "--" + option.name)
        }
    }

    /// The environment variable of a setting: `APPRECEIPT_BUNDLE_ID` for `bundle-id`.
    static func variable(_ name: String) -> String {
        "APPRECEIPT_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    private mutating func read(file: String) throws {
        let bytes = try InputReader.file(file)
        let parsed: AppStoreJSON
        do throws(AppStoreJSON.Fault) {
            parsed = try AppStoreJSON(parsing: bytes[...].withoutByteOrderMark, depth: 4)
        } catch {
            throw Self.invalid("\(file): The file is \(error.predicate).")
        }
        guard let object = parsed.object else { throw Self.invalid("\(file): Expected a JSON object.") }
        for member in object.members {
            guard Self.names.contains(member.name) else {
                throw Self.invalid("\(file): Unknown setting '\(Terminal.truncated(member.name))'.")
            }
            if member.value == .null, !Self.nonEmptyNames.contains(member.name) { continue }
            let elements = member.value.array ?? [member.value]
            let texts = elements.compactMap { element -> String? in
                if let text = element.string { return text }
                if element == .null { return "" }
                guard !Self.secrets.contains(member.name) else { return nil }
                return element.number?.text ?? element.boolean.map { String($0) }
            }
            guard texts.count == elements.count, texts.count <= 1 || Self.lists.contains(member.name) else {
                throw Self.invalid("\(file): The value of '\(member.name)' has the wrong type.")
            }
            if Self.nonEmptyNames.contains(member.name), texts.allSatisfy(\.isEmpty) {
                throw Self.invalid("\(file): '\(member.name)' must not be empty. Set a value or remove it.")
            }
            if texts.isEmpty { continue }
            values[member.name] = Setting(texts: texts, source: "\(file): \(member.name)")
        }
    }

    // MARK: Values

    /// All values of a setting.
    func all(_ name: String) -> Setting? { values[name] }

    /// The value of a setting that has one.
    func text(_ name: String) -> String? { values[name]?.texts.first }

    /// The value of a Boolean setting.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false", "0": false
        case "true", "1": true
        default: throw invalid(name, message: "Expected true or false.")
        }
    }

    /// The value of a setting that is a whole number within bounds.
    func integer(_ name: String, in bounds: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), bounds.contains(number) else {
            throw invalid(name, message: "Expected a whole number from \(bounds.lowerBound) to \(bounds.upperBound).")
        }
        return number
    }

    /// Reports an invalid setting with its source. The message doesn't contain the value, which may be a secret.
    func invalid(_ name: String, message: String) -> ExitCode {
        Self.invalid("\(source(of: name)): \(message)")
    }

    /// The option, variable or member of the file that contains a setting, for messages.
    func source(of name: String) -> String { values[name]?.source ?? name }

    static func invalid(_ message: String) -> ExitCode {
        UsageError.exit(message)
    }
}
#endif
