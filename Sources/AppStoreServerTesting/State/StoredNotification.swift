public import AppReceiptFoundation
import AppReceiptSupport
import AppStoreServerAPI

/// A notification in the history.
@available(AppStoreServerAPI 1.0, *)
struct StoredNotification {
    /// The number of the notification in the order in which they were added.
    let number: Int
    /// The claims. `signedDate` is the date on which the notification was first sent.
    let members: AppStoreJSON.Object
    let attempts: [FakeAppStoreServer.SendAttempt]

    var date: Int64 { members.milliseconds("signedDate") ?? 0 }
    var type: String? { members.string("notificationType") }
    var subtype: String? { members.string("subtype") }
    var isDelivered: Bool { attempts.contains { $0.result == "SUCCESS" } }

    /// The attempts as members of a response, at most six.
    var sendAttempts: AppStoreJSON {
        .array(
            attempts.prefix(6).map { attempt in
                [
                    "attemptDate": .milliseconds(attempt.date.milliseconds),
                    "sendAttemptResult": .string(attempt.result),
                ]
            })
    }

    /// Whether the notification contains a transaction with an identifier, or of an original with it.
    func concerns(_ transaction: String) -> Bool {
        guard let token = members["data"]?.object?.string("signedTransactionInfo") else { return false }
        let segments = token.split(separator: ".")
        guard segments.count == 3, let payload = try? Base64URL.decode(ArraySlice(segments[1].utf8)),
            let claims = try? AppStoreJSON(parsing: payload[...]).object
        else { return false }
        return claims.string("transactionId") == transaction || claims.string("originalTransactionId") == transaction
    }
}

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// An attempt to deliver a notification.
    public struct SendAttempt: Sendable, Hashable {
        /// The date of the attempt.
        public var date: Date
        /// The result, such as `SUCCESS` or `TIMED_OUT`.
        public var result: String

        /// Creates an attempt, by default a successful one.
        public init(_ date: Date, result: String = "SUCCESS") {
            self.date = date
            self.result = result
        }
    }
}
