import AppReceiptKit
import AppReceiptSupport

/// Civil time in California, computed by rule because small systems don't have a time zone database.
///
/// Since 2007, daylight saving time lasts from the second Sunday in March to the first in November; from 1987 to 2006, from the first Sunday in
/// April to the last in October. Both changes are at two o'clock local time.
/// Sources: Energy Policy Act of 2005, section 110; Uniform Time Act as amended in 1986. The App Store opened in 2008.
enum PacificTime {
    private static let standard: Int64 = -8 * 3600
    private static let summer: Int64 = -7 * 3600
    private static let day: Int64 = 86_400

    /// The offset from UTC in seconds.
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

    /// The instants at which daylight saving time of a year begins and ends, in seconds since 1970.
    static func summerTime(of year: Int64) -> Range<Int64> {
        let first = year >= 2007 ? sunday(onOrAfter: 8, of: 3, year) : sunday(onOrAfter: 1, of: 4, year)
        let last = year >= 2007 ? sunday(onOrAfter: 1, of: 11, year) : sunday(onOrAfter: 25, of: 10, year)
        return first * day + 2 * 3600 - standard..<last * day + 2 * 3600 - summer
    }

    /// The first Sunday on or after a day of a month, in days since 1970-01-01, which was a Thursday.
    private static func sunday(onOrAfter day: Int64, of month: Int64, _ year: Int64) -> Int64 {
        let days = RFC3339.daysSince1970(year, month, day)
        let sinceSunday = ((days + 4) % 7 + 7) % 7
        return days + (7 - sinceSunday) % 7
    }
}
