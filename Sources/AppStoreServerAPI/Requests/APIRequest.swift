import AppReceiptSupport

/// A request to one endpoint, in any environment.
@available(AppStoreServerAPI 1.0, *)
struct APIRequest: Sendable {
    let endpoint: Endpoint
    /// The parameters, not yet percent-encoded. A name may occur more than once.
    var query: [(name: String, value: String)]
    let body: AppStoreJSON.Object?
    /// The segments of the path, not yet percent-encoded.
    private let path: [String]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - identifiers: The identifiers in the path, with what they identify, for messages.
    ///   - query: The parameters.
    ///   - body: The body.
    /// - Throws: An error with the code `request-invalid` for an identifier that can't be a segment of a path.
    init(
        _ endpoint: Endpoint, about identifiers: KeyValuePairs<String, String> = [:],
        query: [(name: String, value: String)] = [], body: AppStoreJSON.Object? = nil
    ) throws(AppStoreServerError) {
        self.endpoint = endpoint
        self.query = query
        self.body = body
        var segments: [String] = []
        for (name, identifier) in identifiers { segments.append(try Self.checked(identifier, as: name)) }
        var rest = segments[...]
        path = endpoint.rules.path.split(separator: "/").map { $0 == "*" ? rest.popFirst() ?? "" : String($0) }
    }

    /// The path and query, percent-encoded.
    var target: String {
        let path = path.map { "/" + Self.encoded($0) }.joined()
        let query = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
        return query.isEmpty ? path : path + "?" + query
    }

    /// Percent-encodes everything but the unreserved characters of RFC 3986.
    static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(contentsOf: [byte].hexadecimal(uppercase: true).utf8)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

@available(AppStoreServerAPI 1.0, *)
extension APIRequest {
    /// Returns an identifier that can be a segment of a path.
    ///
    /// - Parameters:
    ///   - identifier: The identifier.
    ///   - name: What it identifies, for the message.
    /// - Throws: An error that names the identifier's kind, not its value.
    private static func checked(_ identifier: String, as name: String) throws(AppStoreServerError) -> String {
        let bytes = identifier.utf8
        guard !bytes.isEmpty else { throw AppStoreServerError(.requestInvalid, message: "The \(name) is empty.") }
        guard bytes.count <= 255 else {
            throw AppStoreServerError(.requestInvalid, message: "The \(name) is longer than 255 bytes.")
        }
        // Proxies decode "%2F" and resolve "..", so encoding these would not be enough.
        let isSegment = bytes.allSatisfy {
            $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
        }
        guard isSegment, identifier != ".", identifier != ".." else {
            throw AppStoreServerError(
                .requestInvalid,
                message: "The \(name) contains a slash, a space or a control character, or is a period.")
        }
        return identifier
    }
}

@available(AppStoreServerAPI 1.0, *)
extension APIRequest {
    /// An endpoint of the App Store Server API.
    enum Endpoint: Sendable, Hashable, CaseIterable {
        case transaction, history, subscriptionStatuses, refunds, order, appTransaction
        case finish, appAccountToken, consumption
        case extend, massExtend, massExtendStatus
        case testNotification, testNotificationStatus, notificationHistory
        case customerGroups, groupMembers, seats, claimSeat, unclaimSeat, associateSeat

        /// Apple's documented facts about an endpoint.
        struct Rules {
            let method: AppStoreServerHTTPRequest.Method
            /// The path, with `*` for an identifier.
            let path: String
            /// The number of requests for each second and app in production. Where Apple documents none, a cautious
            /// one.
            let requestsPerSecond: Double
            /// The members of the response. All of them are optional, but a response that has none isn't one of this
            /// endpoint. Empty for endpoints that require a member.
            let members: [String]
            /// Whether the response is a JSON object. Otherwise its body is ignored.
            let expectsObject: Bool
            /// Whether a request changes something at the App Store.
            let changesSomething: Bool
            /// Whether sending the same request twice has the same result as sending it once. Apple doesn't document
            /// that for extensions of all subscriptions.
            let isSafeToRepeat: Bool

            init(
                _ method: AppStoreServerHTTPRequest.Method, at path: String, perSecond: Double = 10,
                members: [String] = [], expectsObject: Bool = true, changesSomething: Bool? = nil,
                isSafeToRepeat: Bool = true
            ) {
                self.method = method
                self.path = path
                requestsPerSecond = perSecond
                self.members = members
                self.expectsObject = expectsObject
                self.changesSomething = changesSomething ?? (method != .get)
                self.isSafeToRepeat = isSafeToRepeat
            }
        }

        var rules: Rules {
            let app = ["environment", "bundleId", "appAppleId"]
            return switch self {
            case .transaction: Rules(.get, at: "inApps/v1/transactions/*", perSecond: 50)
            case .history:
                Rules(
                    .get, at: "inApps/v2/history/*", perSecond: 50,
                    members: ["signedTransactions", "revision", "hasMore"] + app)
            case .subscriptionStatuses:
                Rules(.get, at: "inApps/v1/subscriptions/*", perSecond: 50, members: ["data"] + app)
            case .refunds:
                Rules(.get, at: "inApps/v2/refund/lookup/*", members: ["signedTransactions", "revision", "hasMore"])
            case .order: Rules(.get, at: "inApps/v1/lookup/*", members: ["signedTransactions", "status"])
            case .appTransaction: Rules(.get, at: "inApps/v1/transactions/appTransactions/*", perSecond: 50)
            case .finish: Rules(.post, at: "inApps/v1/transactions/*/finish", perSecond: 50, expectsObject: false)
            case .appAccountToken:
                Rules(.put, at: "inApps/v1/transactions/*/appAccountToken", perSecond: 20, expectsObject: false)
            case .consumption:
                Rules(.put, at: "inApps/v2/transactions/consumption/*", perSecond: 50, expectsObject: false)
            case .extend: Rules(.put, at: "inApps/v1/subscriptions/extend/*", perSecond: 20)
            case .massExtend:
                Rules(
                    .post, at: "inApps/v1/subscriptions/extend/mass", perSecond: 1, members: ["requestIdentifier"],
                    isSafeToRepeat: false)
            case .massExtendStatus:
                Rules(
                    .get, at: "inApps/v1/subscriptions/extend/mass/*/*",
                    members: ["requestIdentifier", "complete", "completeDate", "succeededCount", "failedCount"])
            case .testNotification:
                Rules(.post, at: "inApps/v1/notifications/test", perSecond: 1, isSafeToRepeat: false)
            case .testNotificationStatus: Rules(.get, at: "inApps/v1/notifications/test/*", perSecond: 1)
            case .notificationHistory:
                Rules(
                    .post, at: "inApps/v1/notifications/history", perSecond: 50,
                    members: ["notificationHistory", "hasMore", "paginationToken"], changesSomething: false)
            case .customerGroups: Rules(.get, at: "groups/v1/currentGroups/*", members: ["groups"])
            case .groupMembers:
                Rules(.get, at: "groups/v1/group/*", members: ["members", "hasMore", "paginationToken"])
            case .seats:
                Rules(
                    .get, at: "groups/v1/transactions/*/seats",
                    members: ["totalSeatCount", "availableSeatCount", "assignedSeatClaimIds"])
            case .claimSeat: Rules(.post, at: "groups/v1/transactions/*/seats")
            case .unclaimSeat: Rules(.delete, at: "groups/v1/transactions/*/seats/*", expectsObject: false)
            case .associateSeat: Rules(.post, at: "groups/v1/transactions/*/seats/*/associate", expectsObject: false)
            }
        }
    }
}
