import AppReceiptKit
import Foundation

extension Date {
    init?(receipt text: String?) {
        guard let date = text.flatMap(ReceiptDate.date(from:)) else { return nil }
        self = date
    }

    /// The date rounded to milliseconds, the precision of descriptions. No known receipt is more precise.
    var inMilliseconds: Date {
        // Nearly all dates are whole seconds.
        guard timeIntervalSince1970 != timeIntervalSince1970.rounded() else { return self }
        return ReceiptDate.date(from: ReceiptDate.string(from: self)) ?? self
    }
}
