public import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Requests a test notification (Request a Test Notification). The request is never repeated after it may have been
    /// carried out.
    ///
    /// - Parameter environment: The environment whose address in App Store Connect is tested.
    /// - Returns: The token for ``testNotificationStatus(_:in:)``.
    /// - Throws: ``AppStoreServerError``.
    public func requestTestNotification(
        in environment: AppStoreEnvironment
    ) async throws(AppStoreServerError) -> String {
        try await send(APIRequest(.testNotification), only: environment).required("testNotificationToken")
    }

    /// Gets a test notification, and whether your server accepted it (Get Test Notification Status).
    ///
    /// The App Store may respond with `test-notification-not-found` for some seconds.
    ///
    /// - Parameters:
    ///   - token: The token of ``requestTestNotification(in:)``.
    ///   - environment: The environment of the request.
    /// - Returns: The verified notification, and the attempts to send it.
    /// - Throws: ``AppStoreServerError``.
    public func testNotificationStatus(
        _ token: String, in environment: AppStoreEnvironment
    ) async throws(AppStoreServerError) -> SentNotification {
        let response = try await send(
            APIRequest(.testNotificationStatus, about: ["token of the test notification": token]), only: environment)
        let sent = try sentNotification(response)
        guard sent.notification.claims.notificationType == .test else {
            throw AppStoreServerError(
                .answerForAnotherRequest, message: "The response contains another notification than a test.",
                in: environment)
        }
        return sent
    }

    /// Gets the notifications that the App Store sent, or tried to send (Get Notification History).
    ///
    /// A server that was unreachable catches up with ``AppStoreServerClient/NotificationHistoryQuery/onlyFailures``.
    /// The tokens of pages are valid for a short time: if one expires (`pagination-token-expired`), begin again.
    ///
    /// - Parameters:
    ///   - query: The period and the filters.
    ///   - environment: The environment.
    /// - Returns: The pages, which are requested while you iterate.
    public func notificationHistory(
        _ query: NotificationHistoryQuery, in environment: AppStoreEnvironment
    ) -> AppStoreServerPages<NotificationHistoryPage> {
        AppStoreServerPages(environment: environment, token: nil, maxPages: configuration.maxPages) { _, token in
            guard query.startDate < query.endDate else {
                throw AppStoreServerError(.requestInvalid, message: "The start date must be before the end date.")
            }
            var request = try APIRequest(.notificationHistory, body: query.body)
            if let token { request.query.append(("paginationToken", token)) }
            let response = try await send(request, only: environment)
            let (notifications, rejected) = items(try response.array("notificationHistory")) {
                (item) throws(AppStoreServerError) in
                guard let object = item.object else { throw response.unreadable("A notification isn't an object.") }
                return try sentNotification(APIResponse(environment: response.environment, object: object))
            }
            let hasMore = try response.boolean("hasMore") ?? false
            return FetchedPage(
                page: NotificationHistoryPage(
                    environment: environment, notifications: notifications, rejected: rejected, hasMore: hasMore),
                environment: environment, hasMore: hasMore, nextToken: try response.string("paginationToken"),
                items: Set(notifications.compactMap(\.notification.claims.notificationUUID)))
        }
    }

    private func sentNotification(_ response: APIResponse) throws(AppStoreServerError) -> SentNotification {
        SentNotification(
            notification: try verified(
                response.required("signedPayload"), in: response.environment,
                by: verifier.verifyNotification(_:expecting:now:)),
            unverified: SentNotification.Unverified(
                sendAttempts: try response.objects("sendAttempts").map {
                    (attempt) throws(AppStoreServerError) in try SentNotification.SendAttempt(attempt)
                }))
    }

    /// A filter of notifications. The App Store keeps them for 180 days.
    public struct NotificationHistoryQuery: Sendable, Hashable {
        /// Only notifications at this date or later, at most 180 days ago.
        public var startDate: Date
        /// Only notifications before this date.
        public var endDate: Date
        /// The filter; nil for all.
        public var filter: Filter?
        /// Only notifications that your server hasn't accepted, including those that the App Store still tries to send.
        public var onlyFailures = false

        /// A filter. Apple accepts one.
        public enum Filter: Sendable, Hashable {
            /// Notifications about the customer to whom this transaction belongs.
            case transaction(String)
            /// Notifications of a type and, if given, a subtype.
            case type(NotificationType, subtype: NotificationSubtype? = nil)
        }

        /// Creates a query.
        public init(from startDate: Date, to endDate: Date, filter: Filter? = nil, onlyFailures: Bool = false) {
            self.startDate = startDate
            self.endDate = endDate
            self.filter = filter
            self.onlyFailures = onlyFailures
        }

        /// The body of a request. It must be the same for every page.
        var body: AppStoreJSON.Object {
            var body: AppStoreJSON.Object = [
                "startDate": .number(AppStoreJSON.Number(startDate.millisecondsSince1970)),
                "endDate": .number(AppStoreJSON.Number(endDate.millisecondsSince1970)),
            ]
            switch filter {
            case .transaction(let identifier): body["transactionId"] = .string(identifier)
            case .type(let type, let subtype):
                body["notificationType"] = .string(type.rawValue)
                body["notificationSubtype"] = subtype.map { .string($0.rawValue) }
            case nil: break
            }
            if onlyFailures { body["onlyFailures"] = true }
            return body
        }
    }

    /// A page of the notifications that the App Store sent, or tried to send.
    public struct NotificationHistoryPage: Sendable {
        /// The environment of the request.
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
