public import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Requests a test notification (Request a Test Notification). The request is never repeated after it may have been carried out.
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
    /// A server that was unreachable catches up with ``AppStoreServerClient/NotificationHistoryQuery/onlyFailures``. The tokens of pages are valid for a short
    /// time: if one expires (`pagination-token-expired`), begin again.
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
}
