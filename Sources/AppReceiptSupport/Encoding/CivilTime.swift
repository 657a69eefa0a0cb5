/// A date and a time of day as text, such as `2020-07-22 17:39:08`.
package struct CivilTime: Sendable {
    /// The character between date and time.
    package enum Separator: UInt8, Sendable {
        case space = 0x20
        /// As in RFC 3339.
        case t = 0x54
    }

    private let day: (year: Int64, month: Int64, day: Int64)
    private let secondOfDay: Int64
    private let separator: Separator

    /// The length of the text.
    package static let count = 19

    /// - Parameters:
    ///   - day: The date, with a year of at most four digits.
    ///   - secondOfDay: The seconds since midnight.
    ///   - separator: The character between date and time.
    package init(_ day: (year: Int64, month: Int64, day: Int64), secondOfDay: Int64, separator: Separator) {
        self.day = day
        self.secondOfDay = secondOfDay
        self.separator = separator
    }

    /// Appends the text.
    package func append(to text: inout OutputSpan<UInt8>) {
        text.append(twoDigits: day.year / 100)
        text.append(twoDigits: day.year % 100)
        text.append(UInt8(ascii: "-"))
        text.append(twoDigits: day.month)
        text.append(UInt8(ascii: "-"))
        text.append(twoDigits: day.day)
        text.append(separator.rawValue)
        text.append(twoDigits: secondOfDay / 3600)
        text.append(UInt8(ascii: ":"))
        text.append(twoDigits: secondOfDay / 60 % 60)
        text.append(UInt8(ascii: ":"))
        text.append(twoDigits: secondOfDay % 60)
    }
}
