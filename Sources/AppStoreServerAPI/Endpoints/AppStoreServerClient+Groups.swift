public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport

// Version 1.22 and 1.23 of the API, which Apple offers in the sandbox only. Unclaim Seat is missing, because its
// request isn't published.

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets the groups of a customer (Get Customer Groups).
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the
    ///     customer.
    ///   - environment: The environment.
    /// - Returns: The groups.
    /// - Throws: ``AppStoreServerError``.
    public func groups(
        ofCustomer identifier: String, in environment: AppStoreEnvironment = .sandbox
    ) async throws(AppStoreServerError) -> UnsignedResponse<[CustomerGroup]> {
        let response = try await send(
            APIRequest(.customerGroups, about: ["customer's identifier": identifier]), only: environment)
        var groups: [CustomerGroup] = []
        for group in try response.objects("groups") { groups.append(try CustomerGroup(group)) }
        return UnsignedResponse(environment: response.environment, unverified: groups)
    }

    /// Gets the members of a group (Get Group Members).
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the group.
    ///   - limit: The maximum number of members of a page; nil for the App Store's.
    ///   - environment: The environment.
    /// - Returns: The pages, which are requested while you iterate.
    public func members(
        ofGroup identifier: String, limit: Int? = nil, in environment: AppStoreEnvironment = .sandbox
    ) -> AppStoreServerPages<UnsignedResponse<GroupMembersPage>> {
        AppStoreServerPages(environment: environment, token: nil, maxPages: configuration.maxPages) { _, token in
            var request = try APIRequest(.groupMembers, about: ["identifier of the group": identifier])
            if let limit { request.query.append(("limit", String(limit))) }
            if let token { request.query.append(("paginationToken", token)) }
            let response = try await send(request, only: environment)
            let hasMore = try response.boolean("hasMore") ?? false
            let page = GroupMembersPage(
                appTransactionIdentifiers: try response.objects("members").map { (member) throws(AppStoreServerError) in
                    try member.required("appTransactionId")
                },
                hasMore: hasMore)
            return FetchedPage(
                page: UnsignedResponse(environment: environment, unverified: page), environment: environment,
                hasMore: hasMore, nextToken: try response.string("paginationToken"))
        }
    }

    /// Gets the seats of a purchase (Get Seat Info).
    ///
    /// - Parameters:
    ///   - identifier: The transaction identifier.
    ///   - environment: The environment.
    /// - Returns: The seats.
    /// - Throws: ``AppStoreServerError``.
    public func seats(
        ofTransaction identifier: String, in environment: AppStoreEnvironment = .sandbox
    ) async throws(AppStoreServerError) -> UnsignedResponse<SeatInfo> {
        let response = try await send(
            APIRequest(.seats, about: ["transaction identifier": identifier]), only: environment)
        return UnsignedResponse(
            environment: response.environment,
            unverified: SeatInfo(
                totalCount: try response.integer("totalSeatCount"),
                availableCount: try response.integer("availableSeatCount"),
                assignedClaimIdentifiers: try response.array("assignedSeatClaimIds").map {
                    (claim) throws(AppStoreServerError) in
                    guard let identifier = claim.string.flatMap({ UUID(uuidString: $0) }) else {
                        throw response.unreadable("The identifier of a claim isn't a UUID.")
                    }
                    return identifier
                }))
    }

    /// Claims a seat of a purchase (Claim Seat).
    ///
    /// - Parameters:
    ///   - identifier: The transaction identifier.
    ///   - requestIdentifier: An identifier for this claim. A repeated request with the same identifier claims one
    ///     seat.
    ///   - appTransactionIdentifier: The app transaction identifier of the member, if it is known.
    ///   - environment: The environment.
    /// - Returns: The identifier of the claim.
    /// - Throws: ``AppStoreServerError``.
    public func claimSeat(
        ofTransaction identifier: String, requestIdentifier: UUID, appTransactionIdentifier: String? = nil,
        in environment: AppStoreEnvironment = .sandbox
    ) async throws(AppStoreServerError) -> UnsignedResponse<UUID> {
        var body: AppStoreJSON.Object = ["requestIdentifier": .string(requestIdentifier.uuidString.lowercased())]
        body["appTransactionId"] = appTransactionIdentifier.map { .string($0) }
        let response = try await send(
            APIRequest(.claimSeat, about: ["transaction identifier": identifier], body: body), only: environment)
        guard let claim = try response.uuid("seatClaimId") else {
            throw response.unreadable("The member 'seatClaimId' is missing.")
        }
        return UnsignedResponse(environment: response.environment, unverified: claim)
    }

    /// Gives up a claimed seat, which can then be claimed for another member (Unclaim Seat).
    ///
    /// Members of groups that the developer manages have no transactions: revoke their access in your own records.
    ///
    /// - Parameters:
    ///   - claim: The identifier of the claim.
    ///   - identifier: The transaction identifier.
    ///   - environment: The environment.
    /// - Throws: ``AppStoreServerError``.
    public func unclaimSeat(
        _ claim: UUID, ofTransaction identifier: String, in environment: AppStoreEnvironment = .sandbox
    ) async throws(AppStoreServerError) {
        let path: KeyValuePairs = ["transaction identifier": identifier, "claim": claim.uuidString.lowercased()]
        _ = try await send(APIRequest(.unclaimSeat, about: path), only: environment)
    }

    /// Assigns a claimed seat to a member (Associate Seat).
    ///
    /// - Parameters:
    ///   - claim: The identifier of the claim.
    ///   - identifier: The transaction identifier.
    ///   - appTransactionIdentifier: The app transaction identifier of the member.
    ///   - environment: The environment.
    /// - Throws: ``AppStoreServerError``.
    public func associateSeat(
        _ claim: UUID, ofTransaction identifier: String, with appTransactionIdentifier: String,
        in environment: AppStoreEnvironment = .sandbox
    ) async throws(AppStoreServerError) {
        let path: KeyValuePairs = ["transaction identifier": identifier, "claim": claim.uuidString.lowercased()]
        _ = try await send(
            APIRequest(.associateSeat, about: path, body: ["appTransactionId": .string(appTransactionIdentifier)]),
            only: environment)
    }

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
