import AppReceiptSupport
import AppStoreServerAPI
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A position in the notification history, which is valid for a short time only.
@available(AppStoreServerAPI 1.0, *)
struct FakeServerPaginationToken {
    /// Identifies app, environment and body.
    private let request: String
    /// The date of the last notification of the page before, and its number.
    let date: Int64
    let number: Int
    /// When the token was made.
    private let time: Int64

    /// Creates the token of the page after a notification.
    init(after last: FakeServerNotification, for filter: FakeServerNotificationFilter, _ call: FakeServerCall) {
        (date, number, time) = (last.date, last.number, call.time)
        request = Self.request(filter, call)
    }

    /// Reads a query parameter.
    init(_ text: String, for filter: FakeServerNotificationFilter, _ call: FakeServerCall) throws(FakeServerError) {
        let bytes = (try? Base64URL.decode(ArraySlice(text.utf8))) ?? []
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "_")
        guard parts.count == 4, parts[0] == Self.request(filter, call), let date = Int64(parts[1]),
            let number = Int(parts[2]), let time = Int64(parts[3]), (0...call.time).contains(time)
        else { throw .invalidPaginationToken }
        guard call.time - time < call.paginationLifetime else { throw .paginationTokenExpired }
        (request, self.date, self.number, self.time) = (String(parts[0]), date, number, time)
    }

    /// The query parameter.
    var text: String { Base64URL.encode(Array("\(request)_\(date)_\(number)_\(time)".utf8)) }

    private static func request(_ filter: FakeServerNotificationFilter, _ call: FakeServerCall) -> String {
        let scope = "\(call.scope.bundleIdentifier)|\(call.scope.environment.rawValue)"
        return SHA256.hash(data: Data("\(scope)|\(filter.text)".utf8)).prefix(8).map { $0 }.hexadecimal()
    }
}
