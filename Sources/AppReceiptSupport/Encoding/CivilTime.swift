/// A date and a time of day as text, such as `2020-07-22 17:39:08`. It is formatted once, and can be appended several times.
package struct CivilTime: Sendable {
    /// The character between date and time.
    package enum Separator {
        case space
        /// As in RFC 3339.
        case t
    }

    // "YYYY-MM-", "DD HH:MM" and the seconds.
    private let yearAndMonth: EightCharacters
    private let dayAndMinute: EightCharacters
    private let second: UInt32

    /// The length of the text.
    package static let count = 19

    /// - Parameters:
    ///   - day: The date, with a year of at most four digits.
    ///   - secondOfDay: The seconds since midnight.
    ///   - separator: The character between date and time.
    package init(_ day: (year: Int64, month: Int64, day: Int64), secondOfDay: Int64, separator: Separator) {
        let year = UInt32(truncatingIfNeeded: day.year)
        let time = UInt32(truncatingIfNeeded: secondOfDay)
        let minute = time / 60
        let hour = minute / 60
        yearAndMonth = EightCharacters("0000-00-").replacingZeros(at: 0, with: year / 100)
            .replacingZeros(at: 2, with: year % 100).replacingZeros(at: 5, with: UInt32(truncatingIfNeeded: day.month))
        dayAndMinute = (separator == .t ? EightCharacters("00T00:00") : EightCharacters("00 00:00"))
            .replacingZeros(at: 0, with: UInt32(truncatingIfNeeded: day.day)).replacingZeros(at: 3, with: hour)
            .replacingZeros(at: 6, with: minute &- hour &* 60)
        second = time &- minute &* 60
    }

    /// Appends the text.
    @inline(__always)
    package func append(to text: inout OutputSpan<UInt8>) {
        text.append(yearAndMonth)
        text.append(dayAndMinute)
        text.append(UInt8(ascii: ":"))
        text.append(twoDigits: second)
    }
}
