#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date {
    /// The seconds since 1970, rounded down.
    var wholeSecondsSince1970: Int64 { Self.integer(timeIntervalSince1970) }

    /// The milliseconds since 1970. Apple refuses fractions.
    // Rounded, because 1698148800.123 times 1000 is slightly less than 1698148800123.
    var millisecondsSince1970: Int64 { Self.integer((timeIntervalSince1970 * 1000).rounded()) }

    private static func integer(_ value: Double) -> Int64 {
        Int64(exactly: value.rounded(.down)) ?? (value > 0 ? .max / 2 : .min / 2)
    }
}
