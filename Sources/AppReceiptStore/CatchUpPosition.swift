#if Server
/// The position up to which the notifications of an app were read from the App Store.
package struct CatchUpPosition: Sendable, Hashable {
    /// The date up to which they were read; nil if they never were.
    package var reached: Int64?
    /// The length of the period with which an interrupted pass continues; nil if the last pass reached its end.
    package var periodLength: Int64?

    /// Creates a position.
    package init(reached: Int64? = nil, periodLength: Int64? = nil) {
        self.reached = reached
        self.periodLength = periodLength
    }
}

/// A period of the App Store's notification history in which something couldn't be read or verified.
package struct NotificationGap: Sendable, Hashable {
    /// The period.
    package var period: Range<Int64>
    /// The number of times that it was read.
    package var attempts: Int
    /// The date when it is read again.
    package var due: Int64

    /// Creates a gap.
    package init(period: Range<Int64>, attempts: Int, due: Int64) {
        self.period = period
        self.attempts = attempts
        self.due = due
    }
}
#endif
