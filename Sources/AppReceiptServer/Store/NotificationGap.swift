#if Server
/// A period of the App Store's notification history in which something couldn't be read or verified. Dates are milliseconds since 1970.
struct NotificationGap: Sendable, Hashable {
    /// The period.
    var period: Range<Int64>
    /// The number of times that it was read.
    var attempts: Int
    /// When it is read again.
    var due: Int64
}
#endif
