#if Server
import AppReceiptKit
import AppStoreSignedData
import ArgumentParser
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What flags, the environment and a file say, in that order.
struct Settings {
    /// The settings that there are; the first two are taken from no flag.
    static let names: Set = [
        "shared-secret", "token", "host", "port", "allowed-host", "database", "log-level", "log-format", "bundle-id",
        "environment",
        "app-apple-id", "answer-both", "shared-secret-file", "token-file", "no-inspector", "root", "trust-xcode",
        "transaction-intermediate", "max-body", "max-bodies", "max-connections", "max-requests", "idle-timeout",
        "body-timeout", "answer-timeout", "wait-timeout", "stop-timeout",
    ]

    /// Several values may be given.
    private static let lists: Set = ["allowed-host", "bundle-id", "environment", "root", "transaction-intermediate"]

    /// Those that must not be left empty by mistake: without most of them more is answered, or more people are.
    private static let guards: Set = [
        "token", "token-file", "shared-secret", "shared-secret-file", "bundle-id", "environment", "app-apple-id",
        // Without it what is answered as recorded is gone with the process.
        "database",
    ]

    /// Those that are texts and nothing that is written like one.
    private static let secrets: Set = ["token", "shared-secret"]

    /// A setting and where it comes from, for messages.
    struct Value {
        let texts: [String]
        let source: String
    }

    private var values: [String: Value] = [:]

    /// - Parameters:
    ///   - flags: what was given on the command line.
    ///   - file: the configuration file that a flag names; else the environment may name one.
    init(
        flags: [FlagValues], file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        if let file = file ?? environment["APPRECEIPT_CONFIG"] { try read(file: file) }
        for name in Self.names {
            let variable = Self.variable(name)
            guard let text = environment[variable] else { continue }
            let texts = Self.lists.contains(name) ? text.split(separator: " ").map(String.init) : [text]
            guard !texts.allSatisfy(\.isEmpty) else {
                // A variable that was meant to be filled and was not must not open the door.
                if Self.guards.contains(name) {
                    throw Self.wrong("\(variable): It must not be empty. Fill or unset it.")
                }
                continue
            }
            values[name] = Value(texts: texts, source: variable)
        }
        let known = Set(Self.names.map(Self.variable)).union(["APPRECEIPT_CONFIG"])
        for variable in environment.keys.sorted() where variable.hasPrefix("APPRECEIPT_") && !known.contains(variable) {
            Terminal.note("\(variable): There is no setting of this name; it goes unheeded.")
        }
        for flag in flags where !flag.values.isEmpty {
            values[flag.name] = Value(texts: flag.values, source: "--" + flag.name)
        }
    }

    /// `APPRECEIPT_BUNDLE_ID` for `bundle-id`.
    static func variable(_ name: String) -> String {
        "APPRECEIPT_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    private mutating func read(file: String) throws {
        let bytes = try FileInput.file(file)
        let parsed: JSONValue
        do throws(JSONValue.Fault) {
            parsed = try JSONValue(parsing: bytes[...], depth: 4)
        } catch {
            throw Self.wrong("\(file): The file is \(error.inWords).")
        }
        guard let object = parsed.object else { throw Self.wrong("\(file): The file holds no JSON object.") }
        for member in object.members {
            guard Self.names.contains(member.name) else {
                throw Self.wrong("\(file): There is no setting '\(Terminal.short(member.name))'.")
            }
            if member.value == .null, !Self.guards.contains(member.name) { continue }
            let elements = member.value.array ?? [member.value]
            let texts = elements.compactMap { element -> String? in
                if let text = element.string { return text }
                if element == .null { return "" }
                guard !Self.secrets.contains(member.name) else { return nil }
                return element.number?.text ?? element.boolean.map { String($0) }
            }
            guard texts.count == elements.count, texts.count <= 1 || Self.lists.contains(member.name) else {
                throw Self.wrong("\(file): '\(member.name)' is not what it must be.")
            }
            if Self.guards.contains(member.name), texts.allSatisfy(\.isEmpty) {
                throw Self.wrong("\(file): '\(member.name)' must not be empty. Fill it or take it out.")
            }
            if texts.isEmpty { continue }
            values[member.name] = Value(texts: texts, source: "\(file): \(member.name)")
        }
    }

    // MARK: Values

    /// All values.
    func all(_ name: String) -> Value? { values[name] }

    /// The one value.
    func text(_ name: String) -> String? { values[name]?.texts.first }

    /// Whether something is switched on.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false", "0": false
        case "true", "1": true
        default: throw wrong(name, "It must be true or false.")
        }
    }

    /// A whole number within bounds.
    func whole(_ name: String, _ bounds: ClosedRange<Int>) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text), bounds.contains(number) else {
            throw wrong(name, "It must be a whole number from \(bounds.lowerBound) to \(bounds.upperBound).")
        }
        return number
    }

    /// What is wrong with a setting, naming where it comes from and not what it says: it may be a secret.
    func wrong(_ name: String, _ message: String) -> ExitCode {
        Self.wrong("\(values[name]?.source ?? name): \(message)")
    }

    static func wrong(_ message: String) -> ExitCode {
        Terminal.complain(message)
        return ExitCode(64)
    }
}
#endif
