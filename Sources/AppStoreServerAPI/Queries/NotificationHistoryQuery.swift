public import AppReceiptFoundation
import AppReceiptSupport
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Which notifications to return. The App Store keeps them for 180 days.
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
}
