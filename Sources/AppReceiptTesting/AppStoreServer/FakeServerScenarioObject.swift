import AppReceiptKit
import AppReceiptSupport

/// An object of a scenario, with its position for error messages.
struct FakeServerScenarioObject {
    var members: JSONObject
    private let path: String

    private init(_ members: JSONObject, path: String) {
        self.members = members
        self.path = path
    }

    /// Reads a document.
    init(_ json: [UInt8]) throws(FakeServerScenarioError) {
        let value: JSONValue
        do throws(JSONValue.Fault) {
            value = try JSONValue(parsing: json[...].withoutByteOrderMark)
        } catch {
            throw FakeServerScenarioError(description: "The text isn't valid JSON, at byte \(error.position).")
        }
        guard let object = value.object else { throw FakeServerScenarioError(description: "Expected a JSON object.") }
        self.init(object, path: "")
    }

    /// An error about a member.
    func error(_ name: String, _ message: String) -> FakeServerScenarioError {
        FakeServerScenarioError(description: "\(path)\(name): \(message)")
    }

    /// Requires that every member has one of these names, so that typos don't remain unnoticed.
    func requireMembers(_ names: String...) throws(FakeServerScenarioError) {
        for member in members.members where !names.contains(member.name) {
            throw error(member.name, "Unknown member. Expected one of \(names.joined(separator: ", ")).")
        }
    }

    /// A text that must be there.
    func text(_ name: String) throws(FakeServerScenarioError) -> String {
        guard let text = members[name]?.string, !text.isEmpty else { throw error(name, "Expected a text.") }
        return text
    }

    /// An object, if it is there.
    func object(_ name: String) throws(FakeServerScenarioError) -> FakeServerScenarioObject? {
        guard let value = members[name] else { return nil }
        guard let object = value.object else { throw error(name, "Expected an object.") }
        return FakeServerScenarioObject(object, path: "\(path)\(name).")
    }

    /// A list of objects, empty if it isn't there.
    func objects(_ name: String) throws(FakeServerScenarioError) -> [FakeServerScenarioObject] {
        guard let value = members[name] else { return [] }
        guard let list = value.array else { throw error(name, "Expected a list of objects.") }
        var objects: [FakeServerScenarioObject] = []
        for (index, element) in list.enumerated() {
            guard let object = element.object else { throw error("\(name)[\(index)]", "Expected an object.") }
            objects.append(FakeServerScenarioObject(object, path: "\(path)\(name)[\(index)]."))
        }
        return objects
    }

    /// Returns claims with the members of this object. Null removes a member, and dates in RFC 3339 become milliseconds.
    func overriding(_ claims: JSONObject) throws(FakeServerScenarioError) -> JSONObject {
        var claims = claims
        for member in members.members {
            guard member.name.hasSuffix("Date"), let text = member.value.string else {
                claims[member.name] = member.value == .null ? nil : member.value
                continue
            }
            guard let date = ReceiptDate.date(from: text) else {
                throw error(member.name, "Expected milliseconds since 1970 or RFC 3339.")
            }
            claims[member.name] = .milliseconds(date.milliseconds)
        }
        return claims
    }
}
