import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A date in the three forms of Apple's responses: UTC, milliseconds since 1970, and civil time in California, whose key ends with `pst`
/// in summer too.
struct AppStoreDate {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let milliseconds: Int64

    private let utc: CivilTime
    private let pacific: CivilTime

    private init(clamped milliseconds: Int64) {
        self.milliseconds = milliseconds
        let seconds = RFC3339.flooredDivision(milliseconds, 1000).quotient
        let (days, secondOfDay) = RFC3339.flooredDivision(seconds, Self.secondsPerDay)
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

    /// Parses milliseconds in decimal digits, as in `_ms`.
    init?(milliseconds text: String) {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int64(text)
        else { return nil }
        self.init(clamped: min(value, Int64(Self.latest)))
    }

    // The years 0000 to 9999.
    private static let earliest: Double = -62_167_219_200_000
    private static let latest: Double = 253_402_300_799_999

    private static let secondsPerDay: Int64 = 86_400

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

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
