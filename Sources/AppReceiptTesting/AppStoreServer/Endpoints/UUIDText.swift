#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text of UUIDs.
enum UUIDText {
    static func isValid(_ text: String) -> Bool { UUID(uuidString: text) != nil }

    /// A version 4 UUID that contains a number.
    static func numbered(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }
}
