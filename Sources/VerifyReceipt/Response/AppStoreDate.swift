import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// A date in the three forms of Apple's responses: UTC, milliseconds since 1970, and civil time in California, whose
/// key ends with `pst` in summer too.
struct AppStoreDate {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let milliseconds: Int64

    private let utc: CivilTime
    private let pacific: CivilTime

    private init(clamped milliseconds: Int64) {
        self.milliseconds = milliseconds
        let seconds = RFC3339.flooredDivision(milliseconds, by: 1000).quotient
        let (days, secondOfDay) = RFC3339.flooredDivision(seconds, by: Self.secondsPerDay)
        let day = RFC3339.civil(days)
        utc = CivilTime(day, secondOfDay: secondOfDay, separator: .space)
        // In the first hours of the year 0, the year in California would be negative.
        let local = max(seconds + PacificTime.offset(at: seconds, on: day), Int64(Self.earliest) / 1000)
        let localSecond = local - days * Self.secondsPerDay
        // The date in California is the same or the previous one.
        pacific =
            localSecond >= 0
            ? CivilTime(day, secondOfDay: localSecond, separator: .space)
            : CivilTime(
                RFC3339.civil(days - 1), secondOfDay: localSecond + Self.secondsPerDay, separator: .space)
    }

    /// - Parameter date: The date, with a precision of milliseconds. Years outside of 0 to 9999 are clamped.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // Also false for NaN, which isn't less than anything.
        self.init(
            clamped: milliseconds < Self.latest ? Int64(max(milliseconds, Self.earliest)) : Int64(Self.latest))
    }

    // The years 0000 to 9999.
    private static let earliest: Double = -62_167_219_200_000
    private static let latest: Double = 253_402_300_799_999

    private static let secondsPerDay: Int64 = 86_400

    /// The maximum length of the texts of a date.
    static let maxCount = CivilTime.count + 20

    /// Appends `2020-07-22 17:39:08 Etc/GMT`.
    func appendUTC(to text: inout OutputSpan<UInt8>) {
        utc.append(to: &text)
        text.append(" Etc/GMT")
    }

    /// Appends `2020-07-22 10:39:08 America/Los_Angeles`.
    func appendPacific(to text: inout OutputSpan<UInt8>) {
        pacific.append(to: &text)
        text.append(" America/Los_Angeles")
    }
}

/// Civil time in California, computed by rule because small systems don't have a time zone database.
///
/// Since 2007, daylight saving time lasts from the second Sunday in March to the first in November; from 1987 to 2006,
/// from the first Sunday in April to the last in October. Both changes are at two o'clock local time. Sources: Energy
/// Policy Act of 2005, section 110; Uniform Time Act as amended in 1986. The App Store opened in 2008.
enum PacificTime {
    private static let standard: Int64 = -8 * 3600
    private static let summer: Int64 = -7 * 3600
    private static let day: Int64 = 86_400

    /// Returns the offset from UTC in seconds.
    ///
    /// - Parameters:
    ///   - seconds: The instant in seconds since 1970.
    ///   - date: The date in UTC.
    static func offset(at seconds: Int64, on date: (year: Int64, month: Int64, day: Int64)) -> Int64 {
        // The changes are far from the turn of the year, so that either offset determines the year, and in four months.
        switch date.month {
        case 12, 1, 2: standard
        case 5...9: summer
        default: summerTime(of: date.year).contains(seconds) ? summer : standard
        }
    }

    /// Returns the instants at which daylight saving time of a year begins and ends, in seconds since 1970.
    static func summerTime(of year: Int64) -> Range<Int64> {
        let first = year >= 2007 ? sunday(onOrAfter: 8, of: 3, year) : sunday(onOrAfter: 1, of: 4, year)
        let last = year >= 2007 ? sunday(onOrAfter: 1, of: 11, year) : sunday(onOrAfter: 25, of: 10, year)
        return first * day + 2 * 3600 - standard..<last * day + 2 * 3600 - summer
    }

    /// Returns the first Sunday on or after a day of a month, in days since 1970-01-01, which was a Thursday.
    private static func sunday(onOrAfter day: Int64, of month: Int64, _ year: Int64) -> Int64 {
        let days = RFC3339.daysSince1970(year: year, month: month, day: day)
        let sinceSunday = ((days + 4) % 7 + 7) % 7
        return days + (7 - sinceSunday) % 7
    }
}

extension JSONWriter {
    /// Writes a number as a string, like all values of a transaction.
    mutating func memberIfPresent(_ name: StaticString, digits: Int64?) {
        if let digits { member(name, capacity: 20) { $0.append(digits: digits) } }
    }

    /// Writes "true" or "false" as a string.
    mutating func memberIfPresent(_ name: StaticString, trueOrFalse: Bool?) {
        memberIfPresent(name, trueOrFalse.map { $0 ? "true" : "false" })
    }

    /// Writes "1" or "0" as a string.
    mutating func memberIfPresent(_ name: StaticString, oneOrZero: Bool?) {
        memberIfPresent(name, oneOrZero.map { $0 ? "1" : "0" })
    }

    /// Writes a date in the three forms of Apple's responses: `d`, `d_ms`, `d_pst`.
    mutating func memberIfPresent(_ name: StaticString, dateInThreeForms date: Date?) {
        if let date { member(name, date: AppStoreDate(date)) }
    }

    /// Writes a date in its three forms.
    mutating func member(_ name: StaticString, date: AppStoreDate) {
        member(name, capacity: AppStoreDate.maxCount) { date.appendUTC(to: &$0) }
        member(name, "_ms", capacity: 20) { $0.append(digits: date.milliseconds) }
        member(name, "_pst", capacity: AppStoreDate.maxCount) { date.appendPacific(to: &$0) }
    }
}
