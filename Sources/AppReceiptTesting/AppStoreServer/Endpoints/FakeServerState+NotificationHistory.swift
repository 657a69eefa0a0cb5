import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    /// Get Notification History: 20 notifications a page, in the order of their dates.
    func notificationHistory(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let filter = try FakeServerNotificationFilter(call.object(), at: call.time)
        let start = try call.value("paginationToken").map { text throws(FakeServerError) in
            try FakeServerPaginationToken(text, for: filter, call)
        }
        let matching = (scopes[call.scope]?.notifications ?? []).filter { filter.includes($0) }
            .sorted { ($0.date, $0.number) < ($1.date, $1.number) }
            .drop { notification in
                start.map { (notification.date, notification.number) <= ($0.date, $0.number) } ?? false
            }
        let page = matching.prefix(FakeServerRevision.pageSize)
        let hasMore = matching.count > page.count
        var body: JSONObject = [
            "notificationHistory": .array(try page.map { .object(try item($0, call)) }), "hasMore": .boolean(hasMore),
        ]
        if hasMore, let last = page.last {
            body["paginationToken"] = .string(FakeServerPaginationToken(after: last, for: filter, call).text)
        }
        return FakeServerAnswer(body: body)
    }
}
