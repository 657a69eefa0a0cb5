/// A group to which a customer belongs.
@available(AppStoreServerAPI 1.0, *)
public struct CustomerGroup: Sendable, Hashable {
    /// The identifier of the group.
    public let identifier: String?
    /// The kind of the group.
    public let kind: Kind?
    /// The customer's roles.
    public let roles: [Role]

    /// The kind of a group.
    public struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The text in the response.
        public let rawValue: String
        /// Creates a kind with any text, known or unknown.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The text in the response.
        public var description: String { rawValue }

        /// A company or school.
        public static let organization = Self(rawValue: "ORGANIZATION")
        /// Customers who share a subscription.
        public static let consumer = Self(rawValue: "CONSUMER")
    }

    /// The customer's role for a product.
    public struct Role: Sendable, Hashable {
        /// The product.
        public let productIdentifier: String?
        /// The role: `ADMIN`, `NONE`, or another one.
        public let role: String?
    }

    init(_ response: APIResponse) throws(AppStoreServerError) {
        identifier = try response.string("groupId")
        kind = try response.string("groupType").map { Kind(rawValue: $0) }
        roles = try response.objects("roles").map { (role) throws(AppStoreServerError) in
            Role(productIdentifier: try role.string("productId"), role: try role.string("role"))
        }
    }
}
