import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension State {
    /// Get Notification History: 20 notifications a page, in the order of their dates.
    func notificationHistory(_ call: Call) throws -> Answer {
        let filter = try NotificationFilter(call.object(), at: call.time)
        let cursor = CursorText(request: filter.text, in: call.scope)
        let last = try call.value("paginationToken").map { text throws(APIError) in
            try Self.position(in: text, of: cursor, for: call)
        }
        let matching = (scopes[call.scope]?.notifications ?? []).filter { filter.includes($0) }
            .sorted { ($0.date, $0.number) < ($1.date, $1.number) }
            .drop { notification in last.map { (notification.date, notification.number) <= $0 } ?? false }
        let page = matching.prefix(Revision.pageSize)
        let hasMore = matching.count > page.count
        var body: AppStoreJSON.Object = [
            "notificationHistory": .array(try page.map { .object(try item($0, for: call)) }),
            "hasMore": .boolean(hasMore),
        ]
        if hasMore, let last = page.last {
            body["paginationToken"] = .string(cursor.text([Int(last.date), last.number, Int(call.time)]))
        }
        return Answer(body: body)
    }

    /// Returns the date and the number of the last notification of the page before. A token is valid for a short time
    /// only.
    private static func position(
        in token: String, of cursor: CursorText, for call: Call
    ) throws(APIError) -> (Int64, Int) {
        guard let numbers = cursor.numbers(in: token), (0...Int(call.time)).contains(numbers[2]) else {
            throw .invalidPaginationToken
        }
        guard Int(call.time) - numbers[2] < call.paginationLifetime else { throw .paginationTokenExpired }
        return (Int64(numbers[0]), numbers[1])
    }
}

/// The body of Get Notification History.
@available(AppStoreServerAPI 1.0, *)
struct NotificationFilter {
    let startDate: Int64
    let endDate: Int64
    let type: String?
    let subtype: String?
    let transaction: String?
    let onlyFailures: Bool
    /// The members of the body, to which pagination tokens are bound.
    let text: String

    /// The length of the history: 180 days.
    private static let reach: Int64 = 180 * 86_400_000

    /// Reads the body. An end in the future is the present.
    init(_ body: AppStoreJSON.Object, at time: Int64) throws(APIError) {
        guard let start = body["startDate"]?.number?.int64 else { throw .invalidStartDate }
        guard let end = body["endDate"]?.number?.int64 else { throw .invalidEndDate }
        guard start >= time - Self.reach else { throw .startDateTooFarInPast }
        guard start <= end else { throw .startDateAfterEndDate }
        (startDate, endDate) = (start, min(end, time))
        type = try Self.text("notificationType", of: body, or: .invalidNotificationType)
        subtype = try Self.text("notificationSubtype", of: body, or: .invalidNotificationType)
        if let type, !Self.types.contains(type) { throw .invalidNotificationType }
        if let subtype, type == nil || !Self.subtypes.contains(subtype) { throw .invalidNotificationType }
        transaction = try Self.text("transactionId", of: body, or: .invalidTransactionId)
        if let transaction {
            guard type == nil else { throw .multipleFiltersSupplied }
            let isNumber = transaction.utf8.allSatisfy(\.isASCIIDigit)
            guard isNumber, (1...20).contains(transaction.utf8.count) else { throw .invalidTransactionId }
        }
        let failures = body["onlyFailures"] ?? .null
        guard failures == .null || failures.boolean != nil else { throw .generalBadRequest }
        onlyFailures = failures.boolean ?? false
        text = [String(start), String(end), type ?? "", subtype ?? "", transaction ?? "", String(onlyFailures)]
            .joined(separator: "|")
    }

    private static func text(
        _ name: String, of body: AppStoreJSON.Object, or error: APIError
    ) throws(APIError) -> String? {
        guard let value = body[name], value != .null else { return nil }
        guard let text = value.string else { throw error }
        return text
    }

    func includes(_ notification: StoredNotification) -> Bool {
        startDate <= notification.date && notification.date <= endDate
            && (type == nil || type == notification.type) && (subtype == nil || subtype == notification.subtype)
            && (transaction.map { notification.concerns($0) } ?? true) && !(onlyFailures && notification.isDelivered)
    }

    private static let types: Set<String> = [
        "SUBSCRIBED", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "OFFER_REDEEMED", "DID_RENEW", "EXPIRED",
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
        "CONSUMPTION_REQUEST", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "REVOKE", "TEST", "EXTERNAL_PURCHASE_TOKEN",
        "ONE_TIME_CHARGE", "RESCIND_CONSENT", "METADATA_UPDATE", "MIGRATION", "PRICE_CHANGE", "UNCLAIM_SEATS",
    ]

    private static let subtypes: Set<String> = [
        "INITIAL_BUY", "RESUBSCRIBE", "DOWNGRADE", "UPGRADE", "AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED", "VOLUNTARY",
        "BILLING_RETRY", "PRICE_INCREASE", "GRACE_PERIOD", "PENDING", "ACCEPTED", "BILLING_RECOVERY",
        "PRODUCT_NOT_FOR_SALE", "SUMMARY", "FAILURE", "UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER", "SEATS",
    ]
}
