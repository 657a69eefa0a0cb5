public import AppReceiptFoundation
public import AppReceiptKit
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// A page of the notifications that the App Store sent, or tried to send.
    public struct NotificationHistoryPage: Sendable {
        /// The environment that was asked.
        public let environment: AppStoreEnvironment
        /// The verified notifications, in the App Store's order.
        public let notifications: [SentNotification]
        /// The items that were rejected.
        public let rejected: [RejectedItem]
        /// Whether the response says that there is another page.
        public let hasMore: Bool
    }

    /// A notification, and the App Store's attempts to send it.
    public struct SentNotification: Sendable, Hashable {
        /// The verified notification, as it was first sent.
        public let notification: VerifiedNotification
        /// Members that aren't signed.
        public let unverified: Unverified

        /// Members that aren't signed.
        public struct Unverified: Sendable, Hashable {
            /// The attempts to send the notification, at most six.
            public let sendAttempts: [SendAttempt]
        }

        /// An attempt of the App Store to send a notification to your server.
        public struct SendAttempt: Sendable, Hashable {
            /// The date of the attempt.
            public let date: Date?
            /// The result.
            public let result: Result?

            /// The result of an attempt.
            public struct Result: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
                /// The text in the response.
                public let rawValue: String
                /// Creates a result with any text, known or unknown.
                public init(rawValue: String) { self.rawValue = rawValue }
                /// The text in the response.
                public var description: String { rawValue }

                /// Your server accepted the notification.
                public static let success = Self(rawValue: "SUCCESS")
                /// Your server didn't respond in time.
                public static let timedOut = Self(rawValue: "TIMED_OUT")
                /// The TLS connection failed, for example because of an expired certificate.
                public static let tlsIssue = Self(rawValue: "TLS_ISSUE")
                /// Your server redirected in a circle.
                public static let circularRedirect = Self(rawValue: "CIRCULAR_REDIRECT")
                /// Your server didn't respond.
                public static let noResponse = Self(rawValue: "NO_RESPONSE")
                /// The network connection failed.
                public static let socketIssue = Self(rawValue: "SOCKET_ISSUE")
                /// The response had an unsupported character set.
                public static let unsupportedCharset = Self(rawValue: "UNSUPPORTED_CHARSET")
                /// The response was invalid.
                public static let invalidResponse = Self(rawValue: "INVALID_RESPONSE")
                /// Your server closed the connection too early.
                public static let prematureClose = Self(rawValue: "PREMATURE_CLOSE")
                /// Your server responded with another status than 200 to 206.
                public static let unsuccessfulHTTPResponseCode = Self(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
                /// Another failure.
                public static let other = Self(rawValue: "OTHER")
            }

            init(_ response: APIResponse) throws(AppStoreServerError) {
                date = try response.date("attemptDate")
                result = try response.string("sendAttemptResult").map { Result(rawValue: $0) }
            }
        }
    }
}
