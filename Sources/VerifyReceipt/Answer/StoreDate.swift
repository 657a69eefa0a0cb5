import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A date as Apple's answers write it, three times over: in UTC, in milliseconds since 1970, and in the civil time of
/// California, for which the key says `pst` also in summer.
struct StoreDate {
    /// Since 1970-01-01T00:00:00Z.
    let milliseconds: Int64

    /// - Parameter date: to the millisecond. What no calendar of four digits holds becomes the first or last of them.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // Also what is not a number: it is not less than anything.
        self.milliseconds =
            milliseconds < Self.latest
            ? Int64(max(milliseconds, Self.earliest)) : Int64(Self.latest)
    }

    /// A number of milliseconds in decimal digits, as `_ms` writes it.
    init?(milliseconds text: String) {
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int64(text)
        else { return nil }
        milliseconds = min(value, Int64(Self.latest))
    }

    // The years 0000 to 9999.
    private static let earliest: Double = -62_167_219_200_000
    private static let latest: Double = 253_402_300_799_999

    /// Whole seconds, those that have begun.
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
