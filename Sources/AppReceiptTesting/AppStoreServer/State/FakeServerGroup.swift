/// A group of customers in the sandbox.
struct FakeServerGroup {
    let identifier: String
    /// `ORGANIZATION` or `CONSUMER`.
    let type: String
    /// The app transaction identifiers of the members.
    let members: [String]
    /// The members' roles, by product.
    let roles: [String: String]

    /// The group that the sandbox has for customers without a consumer group.
    static let placeholder = FakeServerGroup(
        identifier: "900000000000000000", type: "ORGANIZATION", members: ["700000000000000000"], roles: [:])
}
