/// A page of the members of a group.
@available(AppStoreServerAPI 1.0, *)
public struct GroupMembersPage: Sendable, Hashable {
    /// The app transaction identifiers of the members.
    public let appTransactionIdentifiers: [String]
    /// Whether the response says that there is another page.
    public let hasMore: Bool
}
