import AppReceiptSupport

/// A request to one endpoint, in any environment.
@available(AppStoreServerAPI 1.0, *)
struct APIRequest: Sendable {
    var endpoint: Endpoint
    var method: AppStoreServerHTTPRequest.Method = .get
    /// The segments of the path, not yet percent-encoded.
    var path: [String]
    /// The parameters, not yet percent-encoded. A name may occur more than once.
    var query: [(name: String, value: String)] = []
    var body: AppStoreJSON.Object?
    /// Whether the response is a JSON object. Otherwise its body is ignored.
    var expectsObject = true

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
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default:
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
    static func checked(_ identifier: String, as name: String) throws(AppStoreServerError) -> String {
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
    /// An endpoint of the App Store Server API, for which Apple limits the number of requests.
    enum Endpoint: Sendable, Hashable, CaseIterable {
        case transaction, history, subscriptionStatuses, refunds, order, appTransaction
        case finish, appAccountToken, consumption
        case extend, massExtend, massExtendStatus
        case testNotification, testNotificationStatus, notificationHistory
        case customerGroups, groupMembers, seats, claimSeat, unclaimSeat, associateSeat

        /// The number of requests that Apple documents for each second and app in production. Where Apple documents none, a cautious one.
        var requestsPerSecond: Double {
            switch self {
            case .transaction, .history, .subscriptionStatuses, .appTransaction, .finish, .consumption,
                .notificationHistory:
                50
            case .appAccountToken, .extend: 20
            case .refunds, .order: 10
            case .massExtend, .testNotification, .testNotificationStatus: 1
            case .massExtendStatus, .customerGroups, .groupMembers, .seats, .claimSeat, .unclaimSeat,
                .associateSeat:
                10
            }
        }

        /// Whether a request changes something at the App Store.
        var changesSomething: Bool {
            switch self {
            case .finish, .appAccountToken, .consumption, .extend, .massExtend, .testNotification,
                .claimSeat, .unclaimSeat, .associateSeat:
                true
            default: false
            }
        }

        /// The members that Apple documents for the response. All of them are optional, but a response that has none isn't one of this endpoint.
        ///
        /// Empty for endpoints without a response, and for those that require a member.
        var documentedMembers: [String] {
            switch self {
            case .history:
                ["signedTransactions", "revision", "hasMore", "environment", "bundleId", "appAppleId"]
            case .subscriptionStatuses: ["data", "environment", "bundleId", "appAppleId"]
            case .refunds: ["signedTransactions", "revision", "hasMore"]
            case .order: ["signedTransactions", "status"]
            case .notificationHistory: ["notificationHistory", "hasMore", "paginationToken"]
            case .massExtend: ["requestIdentifier"]
            case .massExtendStatus: ["requestIdentifier", "complete", "completeDate", "succeededCount", "failedCount"]
            case .customerGroups: ["groups"]
            case .groupMembers: ["members", "hasMore", "paginationToken"]
            case .seats: ["totalSeatCount", "availableSeatCount", "assignedSeatClaimIds"]
            case .transaction, .appTransaction, .finish, .appAccountToken, .consumption, .extend,
                .testNotification, .testNotificationStatus, .claimSeat, .unclaimSeat, .associateSeat:
                []
            }
        }

        /// Whether sending the same request twice has the same result as sending it once. Apple doesn't document that for extensions of all
        /// subscriptions.
        var isSafeToRepeat: Bool { self != .testNotification && self != .massExtend }
    }
}
