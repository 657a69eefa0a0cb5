#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import ArgumentParser

/// The settings of the server, from options, the environment and a file, in this order of precedence.
struct Settings {
    /// The settings that must not be empty. An empty value would silently disable a restriction.
    private static let nonEmptyNames: Set = [
        "token", "token-file", "shared-secret", "shared-secret-file", "bundle-id", "environment", "app-apple-id",
        // Without it, recorded purchases are lost when the process ends.
        "database", "database-password-file", "store-key", "store-key-id", "store-issuer-id",
    ]

    /// The settings that must be strings in the file; numbers aren't converted.
    private static let secrets: Set = ["token", "shared-secret"]

    /// The values of a setting, and their source for messages.
    struct Setting {
        let texts: [String]
        let source: String
    }

    /// The names of all settings. Secrets have no option, because other users of the machine could see it.
    private let names: Set<String>
    /// The settings that may have several values.
    private let lists: Set<String>
    private var values: [String: Setting] = [:]
    /// The lists of objects, which only the file can contain.
    private(set) var objects: [String: [SettingsObject]] = [:]
    private static let objectNames: Set = ["apps", "tokens"]
    /// The members of an object of `apps`.
    static let appNames = [
        "bundle-id", "app-apple-id", "environment", "shared-secret-file", "store-key", "store-key-id",
        "store-issuer-id", "products", "webhooks",
    ]

    /// - Parameters:
    ///   - options: All options, with their values from the command line.
    ///   - file: The path of the configuration file; nil if the environment may name one.
    ///   - environment: The environment variables.
    init(
        options: [SettingOption], file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        names = Self.secrets.union(options.map(\.name))
        lists = Set(options.filter(\.isList).map(\.name))
        if let file = file ?? environment["APPRECEIPT_CONFIG"] { try read(file: file) }
        for name in names {
            let variable = Self.variable(name)
            guard let text = environment[variable] else { continue }
            let texts = lists.contains(name) ? text.split(separator: " ").map(String.init) : [text]
            guard !texts.allSatisfy(\.isEmpty) else {
                // An unintentionally empty variable must not disable a restriction.
                if Self.nonEmptyNames.contains(name) {
                    throw Self.invalid("\(variable): It must not be empty. Set a value or unset it.")
                }
                continue
            }
            values[name] = Setting(texts: texts, source: variable)
        }
        let known = Set(names.map(Self.variable)).union(["APPRECEIPT_CONFIG"])
        for variable in environment.keys.sorted() where variable.hasPrefix("APPRECEIPT_") && !known.contains(variable) {
            let suggestion =
                NameSuggestion.name(for: variable, among: Array(known)).map { " Did you mean \($0)?" } ?? ""
            Terminal.note("\(variable): Unknown setting, ignored.\(suggestion)")
        }
        for option in options where !option.values.isEmpty {
            values[option.name] = Setting(texts: option.values, source: "--" + option.name)
        }
    }

    /// Returns the environment variable of a setting: `APPRECEIPT_BUNDLE_ID` for `bundle-id`.
    static func variable(_ name: String) -> String {
        "APPRECEIPT_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    private mutating func read(file: String) throws {
        let bytes = try InputReader.file(file)
        let parsed: AppStoreJSON
        do throws(AppStoreJSON.Fault) {
            parsed = try AppStoreJSON(parsing: bytes[...].withoutByteOrderMark, depth: 6)
        } catch {
            throw Self.invalid("\(file): The file is \(error.predicate).")
        }
        guard let object = parsed.object else { throw Self.invalid("\(file): Expected a JSON object.") }
        for member in object.members {
            if Self.objectNames.contains(member.name) {
                objects[member.name] = try SettingsObject.list(member, in: file)
                continue
            }
            guard names.contains(member.name) else {
                if Self.appNames.contains(member.name) {
                    throw Self.invalid("\(file): '\(member.name)' belongs in an object of 'apps'.")
                }
                throw Self.unknown(member.name, in: file, known: names.union(Self.objectNames))
            }
            if member.value == .null, !Self.nonEmptyNames.contains(member.name) { continue }
            let elements = member.value.array ?? [member.value]
            let texts = elements.compactMap { element -> String? in
                if let text = element.string { return text }
                if element == .null { return "" }
                guard !Self.secrets.contains(member.name) else { return nil }
                return element.number?.text ?? element.boolean.map { String($0) }
            }
            guard texts.count == elements.count, texts.count <= 1 || lists.contains(member.name) else {
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

    /// Returns all values of a setting.
    func all(_ name: String) -> Setting? { values[name] }

    /// Returns the value of a setting that has one.
    func text(_ name: String) -> String? { values[name]?.texts.first }

    /// Returns the value of a Boolean setting.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false", "0": false
        case "true", "1": true
        default: throw invalid(name, message: "Expected true or false.")
        }
    }

    /// Returns the value of a setting that is a whole number within bounds.
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

    /// Returns the option, variable or member of the file that contains a setting, for messages.
    func source(of name: String) -> String { values[name]?.source ?? name }

    /// Reports an unknown setting, with the known one that it resembles.
    static func unknown(_ name: String, in source: String, known: some Collection<String>) -> ExitCode {
        // A secret is never in an object itself.
        let file = known.first { $0 == name + "-file" }
        let suggestion =
            (file ?? NameSuggestion.name(for: name, among: Array(known))).map { " Did you mean '\($0)'?" } ?? ""
        return invalid("\(source): Unknown setting '\(Terminal.truncated(name))'.\(suggestion)")
    }

    static func invalid(_ message: String) -> ExitCode {
        UsageError.exit(message)
    }
}
#endif
