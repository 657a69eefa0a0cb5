import AppReceiptKit
import AppReceiptSupport

extension EvidenceInput {
    /// The members of the server's requests that are compared with the content: the options of the command line.
    package static let optionNames = ExpectationOption.all.map(\.name) + ["app-apple-id", "kind"]

    /// The options of a request to the server in the JSON around the content.
    ///
    /// Responses of Apple have a member `environment` too, whose values have other names than the option's.
    package var options: [String] {
        Self.optionNames.filter { name in
            enclosingObjects.contains { object in
                object.members.contains { member in
                    guard Self.canonicalName(member.name) == name, member.value != .null else { return false }
                    guard name == "environment", let text = member.value.string else { return true }
                    return AppStoreEnvironment(rawValue: text) != nil
                }
            }
        }
    }
}
