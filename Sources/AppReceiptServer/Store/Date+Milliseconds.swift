#if Server
import AppReceiptFoundation

extension Date {
    /// Milliseconds since 1970, as in the database; nil if the date is out of range.
    var milliseconds: Int64? { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) }
}
#endif
