import AppReceiptFoundation
import AppReceiptSupport
import AppStoreServerAPI
import Crypto

@available(AppStoreServerAPI 1.0, *)
extension State {
    /// Get Notification History: 20 notifications a page, in the order of their dates.
    func notificationHistory(_ call: Call) throws -> Answer {
        let filter = try NotificationFilter(call.object(), at: call.time)
        let start = try call.value("paginationToken").map { text throws(APIError) in
            try PaginationToken(text, for: filter, in: call)
        }
        let matching = (scopes[call.scope]?.notifications ?? []).filter { filter.includes($0) }
            .sorted { ($0.date, $0.number) < ($1.date, $1.number) }
            .drop { notification in
                start.map { (notification.date, notification.number) <= ($0.date, $0.number) } ?? false
            }
        let page = matching.prefix(Revision.pageSize)
        let hasMore = matching.count > page.count
        var body: AppStoreJSON.Object = [
            "notificationHistory": .array(try page.map { .object(try item($0, for: call)) }),
            "hasMore": .boolean(hasMore),
        ]
        if hasMore, let last = page.last {
            body["paginationToken"] = .string(PaginationToken(after: last, for: filter, in: call).text)
        }
        return Answer(body: body)
    }
}

/// A position in the notification history, which is valid for a short time only.
@available(AppStoreServerAPI 1.0, *)
struct PaginationToken {
    /// Identifies app, environment and body.
    private let request: String
    /// The date of the last notification of the page before, and its number.
    let date: Int64
    let number: Int
    /// When the token was made.
    private let time: Int64

    /// Creates the token of the page after a notification.
    init(after last: StoredNotification, for filter: NotificationFilter, in call: Call) {
        (date, number, time) = (last.date, last.number, call.time)
        request = Self.request(for: filter, in: call.scope)
    }

    /// Reads a query parameter.
    init(_ text: String, for filter: NotificationFilter, in call: Call) throws(APIError) {
        let bytes = (try? Base64URL.decode(ArraySlice(text.utf8))) ?? []
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "_")
        guard parts.count == 4, parts[0] == Self.request(for: filter, in: call.scope), let date = Int64(parts[1]),
            let number = Int(parts[2]), let time = Int64(parts[3]), (0...call.time).contains(time)
        else { throw .invalidPaginationToken }
        guard call.time - time < call.paginationLifetime else { throw .paginationTokenExpired }
        (request, self.date, self.number, self.time) = (String(parts[0]), date, number, time)
    }

    /// The query parameter.
    var text: String { Base64URL.encode(Array("\(request)_\(date)_\(number)_\(time)".utf8)) }

    private static func request(for filter: NotificationFilter, in scope: Scope.Name) -> String {
        let scope = "\(scope.bundleIdentifier)|\(scope.environment.rawValue)"
        return SHA256.hash(data: Data("\(scope)|\(filter.text)".utf8)).prefix(8).map { $0 }.hexadecimal()
    }
}
