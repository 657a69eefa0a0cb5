#if Server
import AppReceiptFoundation
import AppReceiptSupport

/// The entitlements of a purchase that were reported last, and when they are compared again.
struct PurchaseState: Sendable, Hashable {
    /// The JSON of the entitlements; nil if the purchase was forgotten. It is only parsed if it is needed: a receipt
    /// may have hundreds of purchases.
    private(set) var json: String? = "[]"
    /// When time alone may change them; nil for never.
    private(set) var due: Int64?
    /// When the purchase was forgotten.
    private(set) var forgotten: Int64?

    /// The delay before a purchase whose evidence can't be read is compared again, in milliseconds.
    static let pause: Int64 = 3_600_000

    /// The state of a purchase that was forgotten.
    static func forgotten(at date: Int64) -> PurchaseState { PurchaseState(json: nil, forgotten: date) }

    /// Whether nothing is reported of the purchase until an account submits it.
    var isForgotten: Bool { json == nil }

    /// The entitlements that were reported last; none if the purchase was forgotten or the JSON can't be read.
    var entitlements: [ReportedEntitlement] {
        let values = json.flatMap { try? AppStoreJSON(parsing: Array($0.utf8)[...]) }?.array
        return values?.map { ReportedEntitlement(stored: $0) } ?? []
    }

    /// Whether a notification isn't stored, because it would bring back the purchase, which was forgotten since. Only a
    /// revocation must not be lost.
    func excludes(_ notification: NotificationRow) -> Bool {
        !notification.hasRevocation && (forgotten ?? .min) > notification.signed
    }

    /// Has the purchase compared again after a pause. One that wasn't reported yet has its first events then.
    mutating func postpone(from date: Int64) { self = PurchaseState(json: json ?? "[]", due: date + Self.pause) }

    /// Has the purchase compared again at a date, unless it is earlier, or was forgotten.
    mutating func makeDue(at date: Int64) {
        guard !isForgotten else { return }
        due = min(due ?? date, date)
    }
}

extension PurchaseState {
    init(_ entitlements: [ReportedEntitlement], due: Int64?) {
        self.init(json: AppStoreJSON.array(entitlements.map(\.json)).jsonText, due: due)
    }
}

extension AppStoreJSON {
    /// The value as JSON text.
    var jsonText: String { String(decoding: text(), as: UTF8.self) }
}
#endif
