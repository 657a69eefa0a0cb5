public import AppReceiptFoundation

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// A group to which a customer belongs.
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

    /// A page of the members of a group.
    public struct GroupMembersPage: Sendable, Hashable {
        /// The app transaction identifiers of the members.
        public let appTransactionIdentifiers: [String]
        /// Whether the response says that there is another page.
        public let hasMore: Bool
    }

    /// The seats of a purchase for several people.
    public struct SeatInfo: Sendable, Hashable {
        /// The number of seats.
        public let totalCount: Int64?
        /// The number of seats that nobody has.
        public let availableCount: Int64?
        /// The claims of the seats that somebody has.
        public let assignedClaimIdentifiers: [UUID]
    }
}
