import AppReceiptKit
import Testing

@Suite("DottedVersion")
struct DottedVersionTests {
    @Test("versions are ordered number by number, whatever the numbers' lengths")
    func isOrdered() throws {
        let versions = try Self.ascending.map { try #require(DottedVersion($0), "\($0)") }
        for (index, version) in versions.enumerated() {
            for (otherIndex, other) in versions.enumerated() {
                #expect((version < other) == (index < otherIndex), "\(version) and \(other)")
                #expect((version > other) == (index > otherIndex), "\(version) and \(other)")
                #expect((version == other) == (index == otherIndex), "\(version) and \(other)")
                #expect((version <= other) == (index <= otherIndex), "\(version) and \(other)")
            }
        }
        #expect(versions.reversed().sorted() == versions)
    }

    @Test(
        "zeros before a number and at the end of a version change nothing, also for sets and dictionaries",
        arguments: [
            ["2", "2.0", "2.0.0", "02", "2.00", "0002.0.000.0"], ["1.10", "1.10.0", "01.010"],
            ["0", "00", "0.0", "0.0.0.0"], ["0.1", "00.1", "0.01", "0.1.0"], ["1.0.1", "1.00.1", "01.0.01.0"],
            [String(repeating: "9", count: 40), String(repeating: "0", count: 40) + String(repeating: "9", count: 40)],
        ])
    func spellingsAreEqual(_ spellings: [String]) throws {
        let versions = try spellings.map { try #require(DottedVersion($0), "\($0)") }
        for version in versions {
            for other in versions {
                #expect(version == other && version.hashValue == other.hashValue, "\(version) and \(other)")
                #expect(!(version < other) && version <= other, "\(version) and \(other)")
            }
        }
        #expect(Set(versions).count == 1)
    }

    @Test(
        "versions that only look alike are different",
        arguments: [
            ("1.10", "1.1"), ("1.0.1", "1.1"), ("10", "1"), ("1.01", "1.001.1"), ("11", "1.1"), ("0.1", "1"),
        ])
    func lookAlikesDiffer(_ one: String, _ other: String) throws {
        let versions = [try #require(DottedVersion(one)), try #require(DottedVersion(other))]
        #expect(versions[0] != versions[1])
        #expect((versions[0] < versions[1]) != (versions[1] < versions[0]))
        #expect(Set(versions).count == 2)
    }

    @Test(
        "anything but ASCII digits with single points between them is no version",
        arguments: [
            "", ".", "..", "1.", ".1", "1..2", "1.2.", " ", " 1", "1 ", "1. 2", "1\n", "\t1", "1\0", "-1", "1.-2", "+1",
            "1.+2", "1,2", "1_2", "1-2", "1.2b3", "v1", "1.x", "2.0b3", "1A123", "0x10", "1e3", "\u{661}.\u{662}",
            "\u{FF11}", "1\u{FF0E}2", "\u{B2}", "\u{2460}", "1\u{301}", "1.2\u{200B}", "\u{FEFF}1", "−1", "½",
        ])
    func othersAreNone(_ text: String) { #expect(DottedVersion(text) == nil) }

    @Test("the text it was made from is kept and makes an equal one", arguments: ["2.10.1", "02.0", "0", "1.0.0"])
    func keepsText(_ text: String) throws {
        let version = try #require(DottedVersion(text))
        #expect(version.description == text)
        #expect("\(version)" == text)
        #expect(DottedVersion(version.description) == version)
    }

    @Test("thousands of numbers can be compared")
    func long() throws {
        let zeros = String(repeating: ".0", count: 10_000)
        let long = try #require(DottedVersion("1\(zeros).1"))
        let short = try #require(DottedVersion("1"))
        #expect(short < long)
        #expect(try #require(DottedVersion("1" + zeros)) == short)
        #expect(try long < #require(DottedVersion("1\(zeros).2")))
    }

    /// Each is later than the one before.
    private static let ascending: [String] = [
        "0", "0.0.1", "0.0.10", "0.1", "0.9", "0.10", "1", "1.0.0.1", "1.0.9", "1.0.10", "1.1", "1.9", "1.9.9", "1.10",
        "1.10.1", "1.11", "1.100", "2", "2.0.1", "9", "10", "10.0.1", "99.99", "100", "2147483648", "4294967296",
        "9223372036854775808", "18446744073709551616", "18446744073709551616.1",
        "1" + String(repeating: "0", count: 38) + "9", "1" + String(repeating: "0", count: 37) + "10",
        String(repeating: "9", count: 40), "1" + String(repeating: "0", count: 40),
    ]

    @Test("numbers make the same version as their text")
    func numbers() {
        #expect(DottedVersion(2, 10, 1) == DottedVersion("2.10.1"))
        #expect(DottedVersion(3, 0).description == "3.0")
        #expect(DottedVersion(3, 0) == DottedVersion(3) && DottedVersion(0) == DottedVersion("0.0"))
        #expect(DottedVersion(2, 9) < DottedVersion(2, 10))
    }
}
