package import AppReceiptFoundation

/// Parses and formats dates as RFC 3339 text.
///
/// It doesn't use Foundation's formatters, which take tens of microseconds per date.
package enum RFC3339 {
    /// The date that `text` represents, or nil if it isn't a date.
    ///
    /// - Parameter text: `YYYY-MM-DDTHH:MM:SS`, then optionally a period and one to nine digits, then `Z` or an offset
    ///   with or without a colon. RFC 3339, section 5.6. A leap second (`:59:60`) is the second after it.
    package static func date(from text: String) -> Date? {
        let bytes = ContiguousArray(text.utf8)
        return date(bytes.span, bytes.indices)
    }

    /// The date as text in UTC, with milliseconds only if it has a fraction: `2024-01-15T09:00:00Z`, `…:00.250Z`.
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
        let (days, inDay) = flooredDivision(Int64(milliseconds), 86_400_000)
        CivilTime(civil(days), secondOfDay: inDay / 1000, separator: .t).append(to: &text)
        if inDay % 1000 != 0 {
            let fraction = UInt32(inDay % 1000)
            text.append(UInt8(ascii: "."))
            text.append(UInt8(ascii: "0") + UInt8(fraction / 100))
            text.append(twoDigits: fraction % 100)
        }
        text.append(UInt8(ascii: "Z"))
    }

    // The years 0000 to 9999: a year has four digits.
    private static let earliest: Double = -62_167_219_200
    private static let latest: Double = 253_402_300_799

    /// The date that the bytes at `range` represent, or nil.
    package static func date(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Date? {
        // Date and time take nineteen characters at fixed positions.
        guard range.count > 19 else { return nil }
        let text = bytes.extracting(range)
        guard let years = EightCharacters(text, at: 0).numbers(in: EightCharacters("0000-00-")),
            let days = EightCharacters(text, at: 2).numbers(in: EightCharacters("00-00-00")),
            // Lowercase letters are allowed (RFC 3339, 5.6).
            text[10] | 0x20 == UInt8(ascii: "t"),
            let times = EightCharacters(text, at: 11).numbers(in: EightCharacters("00:00:00"))
        else { return nil }
        let (year, month, day) = (years[0] * 100 + years[2], days[3], days[6])
        let (hour, minute, second) = (times[0], times[3], times[6])
        guard (1...12).contains(month), day >= 1, day <= 28 || day <= lengthOfMonth(month, year), hour < 24,
            minute < 60,
            second < 60 || second == 60 && minute == 59
        else { return nil }
        let seconds = Double(daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
        if text.count == 20, text[19] == UInt8(ascii: "Z") { return Date(timeIntervalSince1970: seconds) }
        var reader = DigitReader(position: range.lowerBound + 19, end: range.upperBound)
        var fraction = 0.0
        if reader.take(bytes, ".") {
            guard let parsed = reader.fraction(bytes) else { return nil }
            fraction = parsed
        }
        guard let offset = reader.offset(bytes), reader.position == range.upperBound else { return nil }
        return Date(timeIntervalSince1970: seconds - Double(offset) + fraction)
    }

    /// The date with these components in UTC. Doesn't check that they are in range.
    package static func date(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Date {
        let days = daysSince1970(Int64(year), Int64(month), Int64(day))
        return Date(timeIntervalSince1970: Double(days * 86_400 + Int64(hour * 3600 + minute * 60 + second)))
    }

    private static func lengthOfMonth(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar. The year is counted from March, so that the leap day
    /// comes last and the months before it have fixed lengths; 400 years have 146,097 days.
    package static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = flooredDivision(shifted, 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day counted from 1970-01-01; the inverse of `daysSince1970`.
    package static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, remainder) = flooredDivision(days + 719_468, 146_097)
        // Unsigned numbers of 32 bits, which the compiler divides with a multiplication.
        let dayOfEra = UInt32(truncatingIfNeeded: remainder)
        let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let shiftedMonth = (5 &* dayOfYear &+ 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth &+ 3 : shiftedMonth &- 9
        let day = dayOfYear &- (153 &* shiftedMonth &+ 2) / 5 &+ 1
        return (Int64(yearOfEra) + era * 400 + (month <= 2 ? 1 : 0), Int64(month), Int64(day))
    }

    package static func flooredDivision(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads the part of a date after the seconds, from left to right.
private struct DigitReader {
    var position: Int
    let end: Int

    mutating func take(_ bytes: Span<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard position < end, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func take(_ bytes: Span<UInt8>, _ uppercase: Unicode.Scalar, or lowercase: Unicode.Scalar) -> Bool {
        take(bytes, uppercase) || take(bytes, lowercase)
    }

    mutating func number(_ bytes: Span<UInt8>, _ digits: Int) -> Int64? {
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
    mutating func fraction(_ bytes: Span<UInt8>) -> Double? {
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
    mutating func offset(_ bytes: Span<UInt8>) -> Int64? {
        if take(bytes, "Z", or: "z") { return 0 }
        let sign: Int64
        if take(bytes, "+") {
            sign = 1
        } else if take(bytes, "-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(bytes, 2) else { return nil }
        _ = take(bytes, ":")
        guard let minutes = number(bytes, 2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
