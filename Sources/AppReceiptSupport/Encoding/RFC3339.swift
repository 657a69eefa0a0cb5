package import AppReceiptFoundation

/// Parses and formats dates as RFC 3339 text.
///
/// It doesn't use Foundation's formatters, which take tens of microseconds per date.
package enum RFC3339 {
    /// Returns the date that `text` represents, or nil if it isn't a date.
    ///
    /// - Parameter text: `YYYY-MM-DDTHH:MM:SS`, then optionally a period and one to nine digits, then `Z` or an offset
    ///   with or without a colon. RFC 3339, section 5.6. A leap second (`:59:60`) is the second after it.
    package static func date(from text: String) -> Date? {
        let bytes = ContiguousArray(text.utf8)
        return date(in: bytes.span, at: bytes.indices)
    }

    /// Returns the date as text in UTC, with milliseconds only if it has a fraction: `2024-01-15T09:00:00Z`,
    /// `…:00.250Z`.
    ///
    /// A date outside of the years 0 to 9999 becomes the first or last date that four digits can represent.
    package static func string(from date: Date) -> String {
        String(capacity: maxCount) { append(date, to: &$0) }
    }

    /// The maximum length of the text of a date.
    package static let maxCount = 24

    /// Appends the date as text in UTC, like `string(from:)`.
    package static func append(_ date: Date, to text: inout OutputSpan<UInt8>) {
        // Round to milliseconds first, so that 0.9999 carries over into the seconds.
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard milliseconds >= earliest * 1000, milliseconds <= latest * 1000 + 999 else {
            return text.append(milliseconds < 0 ? "0000-01-01T00:00:00Z" : "9999-12-31T23:59:59Z" as StaticString)
        }
        let (days, inDay) = flooredDivision(Int64(milliseconds), by: 86_400_000)
        CivilTime(civil(days), secondOfDay: inDay / 1000, separator: .t).append(to: &text)
        if inDay % 1000 != 0 {
            let fraction = inDay % 1000
            text.append(UInt8(ascii: "."))
            text.append(UInt8(ascii: "0") + UInt8(fraction / 100))
            text.append(twoDigits: fraction % 100)
        }
        text.append(UInt8(ascii: "Z"))
    }

    // The years 0000 to 9999: a year has four digits.
    private static let earliest: Double = -62_167_219_200
    private static let latest: Double = 253_402_300_799

    /// Returns the date that the bytes at `range` represent, or nil.
    package static func date(in bytes: Span<UInt8>, at range: Range<Int>) -> Date? {
        var reader = DigitReader(position: range.lowerBound, end: range.upperBound)
        guard let year = reader.number(ofDigits: 4, in: bytes), reader.take("-", in: bytes),
            let month = reader.number(ofDigits: 2, in: bytes), reader.take("-", in: bytes),
            let day = reader.number(ofDigits: 2, in: bytes),
            // Lowercase letters are allowed (RFC 3339, 5.6).
            reader.take("T", in: bytes) || reader.take("t", in: bytes),
            let hour = reader.number(ofDigits: 2, in: bytes), reader.take(":", in: bytes),
            let minute = reader.number(ofDigits: 2, in: bytes), reader.take(":", in: bytes),
            let second = reader.number(ofDigits: 2, in: bytes)
        else { return nil }
        guard (1...12).contains(month), (1...lengthOfMonth(month, of: year)).contains(day), hour < 24, minute < 60,
            second < 60 || second == 60 && minute == 59
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        let seconds = Double(days * 86_400 + hour * 3600 + minute * 60 + second)
        var fraction = 0.0
        if reader.take(".", in: bytes) {
            guard let parsed = reader.fraction(in: bytes) else { return nil }
            fraction = parsed
        }
        guard let offset = reader.offset(in: bytes), reader.position == range.upperBound else { return nil }
        return Date(timeIntervalSince1970: seconds - Double(offset) + fraction)
    }

    /// Returns the date with these components in UTC. Doesn't check that they are in range.
    package static func date(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Date {
        let days = daysSince1970(year: Int64(year), month: Int64(month), day: Int64(day))
        return Date(timeIntervalSince1970: Double(days * 86_400 + Int64(hour * 3600 + minute * 60 + second)))
    }

    private static func lengthOfMonth(_ month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar. The year is counted from March, so that the leap day
    /// comes last and the months before it have fixed lengths; 400 years have 146,097 days.
    package static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = flooredDivision(shifted, by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a day counted from 1970-01-01; the inverse of `daysSince1970`.
    package static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = flooredDivision(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    package static func flooredDivision(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads the parts of a date from left to right.
private struct DigitReader {
    var position: Int
    let end: Int

    mutating func take(_ character: Unicode.Scalar, in bytes: Span<UInt8>) -> Bool {
        guard position < end, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func number(ofDigits digits: Int, in bytes: Span<UInt8>) -> Int64? {
        guard end - position >= digits else { return nil }
        var value: Int64 = 0
        for index in position..<position + digits {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        position += digits
        return value
    }

    /// Reads one to nine digits after the decimal point.
    mutating func fraction(in bytes: Span<UInt8>) -> Double? {
        var value = 0.0
        var divisor = 1.0
        var digits = 0
        while position < end, bytes[position] &- UInt8(ascii: "0") < 10 {
            digits += 1
            guard digits <= 9 else { return nil }
            value = value * 10 + Double(bytes[position] &- UInt8(ascii: "0"))
            divisor *= 10
            position += 1
        }
        return digits == 0 ? nil : value / divisor
    }

    /// Reads `Z`, `±HH:MM` or `±HHMM`, and returns seconds east of UTC.
    mutating func offset(in bytes: Span<UInt8>) -> Int64? {
        if take("Z", in: bytes) || take("z", in: bytes) { return 0 }
        let sign: Int64
        if take("+", in: bytes) {
            sign = 1
        } else if take("-", in: bytes) {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(ofDigits: 2, in: bytes) else { return nil }
        _ = take(":", in: bytes)
        guard let minutes = number(ofDigits: 2, in: bytes), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}

extension Date {
    /// The whole seconds since 1970. Receipts have a precision of seconds and tokens of milliseconds, so copies are
    /// compared by seconds.
    package var wholeSeconds: Double { timeIntervalSince1970.rounded(.down) }

    /// The date rounded down to a whole second, because certificates are valid until the end of their last second (RFC
    /// 5280, 4.1.2.5).
    package var roundedDownToSecond: Date { Date(timeIntervalSince1970: wholeSeconds) }

    /// Creates a date from milliseconds since 1970, as in tokens and the database.
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Milliseconds since 1970, as in tokens and the database; nil if the date is out of range.
    package var milliseconds: Int64? { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) }
}
