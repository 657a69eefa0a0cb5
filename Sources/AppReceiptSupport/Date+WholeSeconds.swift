package import AppReceiptFoundation

extension Date {
    /// The whole seconds since 1970. Receipts have a precision of seconds and tokens of milliseconds, so copies are compared by seconds.
    package var wholeSeconds: Double { timeIntervalSince1970.rounded(.down) }

    /// The date rounded down to a whole second, because certificates are valid until the end of their last second (RFC 5280, 4.1.2.5).
    package var roundedDownToSecond: Date { Date(timeIntervalSince1970: wholeSeconds) }
}
