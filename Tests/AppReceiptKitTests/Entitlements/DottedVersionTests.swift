import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// Comparisons of dotted versions through ``OriginalAppPurchase``.
@Suite("DottedVersion")
struct DottedVersionTests {
    @Test("Versions are ordered number by number, with numbers of any length")
    func isOrdered() throws {
        for (index, original) in Self.ascending.enumerated() {
            let purchase = try Self.purchase(original)
            for (otherIndex, other) in Self.ascending.enumerated() {
                #expect(purchase.precedes(build: other, version: "-") == (index < otherIndex), "\(original), \(other)")
            }
        }
    }

    @Test(
        "Zeros before a number and at the end of a version change nothing",
        arguments: [
            ["2", "2.0", "2.0.0", "02", "2.00", "0002.0.000.0"], ["1.10", "1.10.0", "01.010"],
            ["0", "00", "0.0", "0.0.0.0"], ["0.1", "00.1", "0.01", "0.1.0"], ["1.0.1", "1.00.1", "01.0.01.0"],
            [String(repeating: "9", count: 40), String(repeating: "0", count: 40) + String(repeating: "9", count: 40)],
        ])
    func spellingsAreEqual(_ spellings: [String]) throws {
        for original in spellings {
            let purchase = try Self.purchase(original)
            for other in spellings {
                #expect(purchase.precedes(build: other, version: "-") == false, "\(original), \(other)")
                #expect(purchase.precedes(build: other + ".0.1", version: "-") == true, "\(original), \(other)")
            }
        }
    }

    @Test(
        "Versions that only look alike are different",
        arguments: [
            ("1.10", "1.1"), ("1.0.1", "1.1"), ("10", "1"), ("1.01", "1.001.1"), ("11", "1.1"), ("0.1", "1"),
        ])
    func lookAlikesDiffer(_ one: String, _ other: String) throws {
        let isBefore = try Self.purchase(one).precedes(build: other, version: "-")
        let isAfter = try Self.purchase(other).precedes(build: one, version: "-")
        #expect(isBefore != nil)
        #expect(isAfter != nil)
        #expect(isBefore != isAfter)
    }

    @Test(
        "Versions other than ASCII digits and single periods can't be compared",
        arguments: [
            "", ".", "..", "1.", ".1", "1..2", "1.2.", " ", " 1", "1 ", "1. 2", "1\n", "\t1", "1\0", "-1", "1.-2", "+1",
            "1.+2", "1,2", "1_2", "1-2", "1.2b3", "v1", "1.x", "2.0b3", "1A123", "0x10", "1e3", "\u{661}.\u{662}",
            "\u{FF11}", "1\u{FF0E}2", "\u{B2}", "\u{2460}", "1\u{301}", "1.2\u{200B}", "\u{FEFF}1", "−1", "½",
        ])
    func othersAreNotComparable(_ text: String) throws {
        #expect(try Self.purchase("1").precedes(build: text, version: "2") == nil)
        let purchase = try Self.purchase(text)
        #expect(purchase.precedes(build: "2", version: "2") == nil)
        #expect(purchase.precedes(build: text, version: text) == nil)
    }

    @Test("Versions of thousands of numbers can be compared")
    func long() throws {
        let zeros = String(repeating: ".0", count: 10_000)
        let long = try Self.purchase("1\(zeros).1")
        #expect(long.precedes(build: "1", version: "-") == false)
        #expect(long.precedes(build: "1\(zeros).2", version: "-") == true)
        let short = try Self.purchase("1")
        #expect(short.precedes(build: "1\(zeros).1", version: "-") == true)
        #expect(short.precedes(build: "1" + zeros, version: "-") == false)
    }

    /// Versions in ascending order.
    private static let ascending: [String] = [
        "0", "0.0.1", "0.0.10", "0.1", "0.9", "0.10", "1", "1.0.0.1", "1.0.9", "1.0.10", "1.1", "1.9", "1.9.9", "1.10",
        "1.10.1", "1.11", "1.100", "2", "2.0.1", "9", "10", "10.0.1", "99.99", "100", "2147483648", "4294967296",
        "9223372036854775808", "18446744073709551616", "18446744073709551616.1",
        "1" + String(repeating: "0", count: 38) + "9", "1" + String(repeating: "0", count: 37) + "10",
        String(repeating: "9", count: 40), "1" + String(repeating: "0", count: 40),
    ]

    /// Returns the original purchase of a receipt with this build number.
    private static func purchase(_ build: String) throws -> OriginalAppPurchase {
        try ReceiptTestCase.with { $0.receipt.originalAppVersion = build }.verified().originalAppPurchase
    }
}
