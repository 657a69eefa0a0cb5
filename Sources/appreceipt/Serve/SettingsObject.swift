#if Server
import AppReceiptSupport
import ArgumentParser

/// An object in a list of the configuration file, such as one of `apps`.
struct SettingsObject {
    private let object: AppStoreJSON.Object
    /// Its place, for messages: `appreceipt.json: apps[0]`.
    let source: String

    /// Reads the list in a member of the file.
    static func list(_ member: AppStoreJSON.Object.Member, in file: String) throws -> [SettingsObject] {
        guard let elements = member.value.array else {
            throw Settings.invalid("\(file): '\(member.name)' must be a list of objects.")
        }
        return try elements.enumerated().map { index, element in
            let source = "\(file): \(member.name)[\(index)]"
            guard let object = element.object else { throw Settings.invalid("\(source): Expected an object.") }
            return SettingsObject(object: object, source: source)
        }
    }

    /// Checks that the object has no other members.
    func check(names: [String]) throws {
        for member in object.members where !names.contains(member.name) {
            throw Settings.unknown(member.name, in: source, known: names)
        }
    }

    /// Returns the texts of a member: a string, or a list of strings. Empty if it isn't set.
    func texts(_ name: String) throws -> [String] {
        guard let value = object[name] else { return [] }
        let elements = value.array ?? [value]
        let texts = elements.compactMap { $0.string ?? $0.number?.text }
        guard texts.count == elements.count, !texts.isEmpty, !texts.contains("") else {
            throw invalid(name, "Expected a text, or a list of texts, not empty.")
        }
        return texts
    }

    /// Returns the texts in a member that is an object, by their names. Empty if it isn't set.
    func textsByName(_ name: String) throws -> [String: String] {
        guard let value = object[name] else { return [:] }
        guard let members = value.object?.members else { throw invalid(name, "Expected an object.") }
        return try members.reduce(into: [:]) { texts, member in
            guard let text = member.value.string, !text.isEmpty else {
                throw invalid("\(name).\(member.name)", "Expected a text, not empty.")
            }
            texts[member.name] = text
        }
    }

    /// Returns the objects in a member: a list. Empty if it isn't set.
    func objects(_ name: String) throws -> [SettingsObject] {
        guard let value = object[name] else { return [] }
        return try Self.list(AppStoreJSON.Object.Member(name: name, value: value), in: source)
    }

    /// Returns whether a member is true. False if it isn't set.
    func flag(_ name: String) throws -> Bool {
        guard let value = object[name] else { return false }
        guard let flag = value.boolean else { throw invalid(name, "Expected true or false.") }
        return flag
    }

    /// Returns the texts of a member that must be set.
    func required(anyOf name: String) throws -> [String] {
        let texts = try texts(name)
        guard !texts.isEmpty else { throw Settings.invalid("\(source): '\(name)' is missing.") }
        return texts
    }

    /// Returns the text of a member; nil if it isn't set.
    func text(_ name: String) throws -> String? {
        let texts = try texts(name)
        guard texts.count <= 1 else { throw invalid(name, "Expected one text.") }
        return texts.first
    }

    /// Returns the text of a member that must be set.
    func required(_ name: String) throws -> String {
        guard let text = try text(name) else { throw Settings.invalid("\(source): '\(name)' is missing.") }
        return text
    }

    /// Reports an invalid member. The message doesn't contain its value, which may be a secret.
    func invalid(_ name: String, _ message: String) -> ExitCode {
        Settings.invalid("\(source).\(name): \(message)")
    }
}
#endif
