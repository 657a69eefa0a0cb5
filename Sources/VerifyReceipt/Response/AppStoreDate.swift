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

    /// - Parameter date: The date, with a precision of milliseconds. Years outside of 0 to 9999 are clamped.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // Also false for NaN, which isn't less than anything.
        self.milliseconds =
            milliseconds < Self.latest
            ? Int64(max(milliseconds, Self.earliest)) : Int64(Self.latest)
    }

    /// Parses milliseconds in decimal digits, as in `_ms`.
    init?(milliseconds text: String) {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int64(text)
        else { return nil }
        milliseconds = min(value, Int64(Self.latest))
    }

    // The years 0000 to 9999.
    private static let earliest: Double = -62_167_219_200_000
    private static let latest: Double = 253_402_300_799_999

    /// Whole seconds, rounded down.
    private var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000 }

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// `2020-07-22 17:39:08 Etc/GMT`
    var utc: String { Self.civil(seconds) + " Etc/GMT" }

    /// `2020-07-22 10:39:08 America/Los_Angeles`
    var pacific: String { Self.civil(seconds + PacificTime.offset(at: seconds)) + " America/Los_Angeles" }

    /// The members for this key: `d`, `d_ms`, `d_pst`.
    func members(_ key: String) -> [JSONObject.Member] {
        [
            JSONObject.Member(name: key, value: .string(utc)),
            JSONObject.Member(name: key + "_ms", value: .string(String(milliseconds))),
            JSONObject.Member(name: key + "_pst", value: .string(pacific)),
        ]
    }

    /// `YYYY-MM-DD HH:MM:SS`
    private static func civil(_ seconds: Int64) -> String {
        let text = ReceiptDate.string(from: Date(timeIntervalSince1970: Double(seconds))).utf8
        return String(decoding: text.prefix(10) + [0x20] + text.dropFirst(11).prefix(8), as: UTF8.self)
    }
}
