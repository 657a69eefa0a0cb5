import AppReceiptSupport
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@Suite("Dates")
struct RFC3339Tests {
    private func seconds(_ text: String) -> Double? { RFC3339.date(from: text)?.timeIntervalSince1970 }

    // MARK: Reading

    @Test(
        "Dates in UTC are read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2024-07-02T15:04:05Z", 1_719_932_645),
            ("2013-08-01T07:00:00Z", 1_375_340_400), ("2001-01-01T00:00:00Z", 978_307_200),
            ("2024-12-31T23:59:59Z", 1_735_689_599), ("1582-10-10T00:00:00Z", -12_219_724_800),
            ("0001-01-01T00:00:00Z", -62_135_596_800), ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("4001-01-01T00:00:00Z", 64_092_211_200), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double)])
    func utc(text: String, expected: Double) {
        #expect(seconds(text) == expected)
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: expected)) == text)
    }

    @Test(
        "Positive and negative offsets with and without a colon are read",
        arguments: [
            ("2020-07-22T18:33:15+0100", 1_595_439_195), ("2020-07-22T18:33:15+01:00", 1_595_439_195),
            ("2020-07-22T18:33:15-01:00", 1_595_446_395), ("2020-07-22T18:33:15-0730", 1_595_469_795),
            ("2020-07-22T18:33:15+05:45", 1_595_422_095), ("2020-07-22T18:33:15+0000", 1_595_442_795),
            ("2020-07-22T18:33:15-00:00", 1_595_442_795), ("2020-07-22T18:33:15+23:59", 1_595_356_455),
            ("4001-01-01T00:00:00+0000", 64_092_211_200), ("2024-03-01T00:30:00+01:00", 1_709_249_400),
        ] as [(String, Double)])
    func offsets(text: String, expected: Double) {
        #expect(seconds(text) == expected)
    }

    @Test(
        "Fractions of one to nine digits are read",
        arguments: [
            (".0", 0), (".5", 0.5), (".25", 0.25), (".125", 0.125), (".0625", 0.0625), (".03125", 0.03125),
            (".015625", 0.015625), (".0078125", 0.0078125), (".00390625", 0.00390625), (".001953125", 0.001953125),
            (".500000000", 0.5),
        ])
    func fractions(fraction: String, expected: Double) {
        #expect(seconds("1970-01-01T00:00:00\(fraction)Z") == expected)
        #expect(seconds("1970-01-01T01:00:01\(fraction)+0100") == 1 + expected)
        #expect(seconds("1969-12-31T23:59:59\(fraction)Z") == -1 + expected)
    }

    @Test(
        "Decimal fractions are read with the precision of a date", arguments: [".123", ".999", ".001", ".123456789"])
    func nearFractions(fraction: String) throws {
        let read = try #require(seconds("2024-07-02T15:04:05\(fraction)Z"))
        #expect(abs(read - (1_719_932_645 + (Double("0" + fraction) ?? 0))) < 0.000_001)
    }

    @Test(
        "Fractions without digits or with more than nine are rejected",
        arguments: [".Z", ".1234567890Z", ",5Z", ".5.5Z", ".-5Z", ".5"])
    func malformedFractions(rest: String) {
        #expect(seconds("1970-01-01T00:00:00" + rest) == nil)
        #expect(seconds("1970-01-01T00:00:00Z") == 0)
    }

    @Test(
        "February has 29 days in leap years only",
        arguments: [
            (2024, true), (2023, false), (2000, true), (1900, false), (2100, false), (2400, true), (4000, true),
            (1600, true),
            (0, true), (4, true), (100, false), (9996, true), (9999, false),
        ])
    func leapYears(year: Int, isLeap: Bool) {
        let text = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)"
        #expect((seconds("\(text)-02-29T00:00:00Z") != nil) == isLeap)
        #expect(seconds("\(text)-02-28T00:00:00Z") != nil)
        #expect(seconds("\(text)-02-30T00:00:00Z") == nil)
    }

    @Test(
        "Days beyond the length of the month are rejected",
        arguments: zip(1...12, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]))
    func months(month: Int, length: Int) {
        let text = month < 10 ? "0\(month)" : "\(month)"
        #expect(seconds("2023-\(text)-\(length)T00:00:00Z") != nil)
        #expect(seconds("2023-\(text)-\(length + 1)T00:00:00Z") == nil)
        #expect(seconds("2023-\(text)-00T00:00:00Z") == nil)
    }

    @Test(
        "A leap second is the second after it, and letters can be lowercase",
        arguments: [
            ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00Z"), ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00Z"),
            ("2024-10-10t10:10:10z", "2024-10-10T10:10:10Z"),
        ])
    func unusualForms(text: String, same: String) {
        #expect(seconds(text) != nil)
        #expect(seconds(text) == seconds(same))
    }

    @Test(
        "Components out of range are rejected",
        arguments: [
            "2024-00-10T10:10:10Z", "2024-13-10T10:10:10Z", "2024-10-00T10:10:10Z", "2024-10-32T10:10:10Z",
            "2024-10-10T24:00:00Z", "2024-10-10T10:60:10Z", "2024-10-10T10:10:60Z", "2024-10-10T10:10:61Z",
            "2024-10-10T10:10:10+24:00", "2024-10-10T10:10:10+10:60", "2024-10-10T10:10:10-99:99",
        ])
    func outOfRange(text: String) {
        #expect(seconds(text) == nil)
        #expect(seconds("2024-10-10T10:10:10Z") == 1_728_555_010)
    }

    @Test("A date whose offset leads out of the years 0000 to 9999 is written as the nearest date in them")
    func outOfYears() throws {
        #expect(seconds("0000-01-01T00:00:00+00:01") == -62_167_219_260)
        #expect(seconds("9999-12-31T23:59:59-00:01") == 253_402_300_859)
        let before = try #require(RFC3339.date(from: "0000-01-01T00:00:00+00:01"))
        let after = try #require(RFC3339.date(from: "9999-12-31T23:59:59-00:01"))
        #expect(RFC3339.string(from: before) == "0000-01-01T00:00:00Z")
        #expect(RFC3339.string(from: after) == "9999-12-31T23:59:59Z")
    }

    @Test(
        "With any byte changed, a date is read only if it still has the form and is in range",
        arguments: ["2024-07-02T15:04:05Z", "2023-02-28T23:59:59+05:00"])
    func changedBytes(text: String) {
        let bytes = Array(text.utf8)
        var read = 0
        for position in 0..<19 {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[position] = byte
                let date = RFC3339.date(in: ContiguousArray(changed).span, at: changed.indices)
                #expect(date == Self.elementByElement(changed)?.addingTimeInterval(text.hasSuffix("Z") ? 0 : -18_000))
                read += date == nil ? 0 : 1
            }
        }
        #expect(read > 60)
    }

    /// Reads the part of a date before its offset character by character.
    private static func elementByElement(_ bytes: [UInt8]) -> Date? {
        func number(_ range: Range<Int>) -> Int? {
            range.reduce(0 as Int?) { value, index in
                guard let value, let digit = Unicode.Scalar(bytes[index]).properties.numericValue,
                    bytes[index] < 0x80
                else { return nil }
                return value * 10 + Int(digit)
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            [4, 7].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }), "Tt".utf8.contains(bytes[10]),
            [13, 16].allSatisfy({ bytes[$0] == UInt8(ascii: ":") }), (1...12).contains(month), hour < 24, minute < 60,
            second < 60 || second == 60 && minute == 59
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        return RFC3339.date(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    @Test(
        "Other formats are rejected",
        arguments: [
            "", " ", "Z", "2024", "2024-10-10", "2024-10-10T10:10Z", "2024-10-10T10:10:10", "2024-10-10 10:10:10Z",
            "2024-10-10T10:10:10 Z", " 2024-10-10T10:10:10Z", "2024-10-10T10:10:10Z ", "2024-10-10T10:10:10ZZ",
            "2024-10-10T10:10:10Z\0", "24-10-10T10:10:10Z", "02024-10-10T10:10:10Z", "-024-10-10T10:10:10Z",
            "+024-10-10T10:10:10Z", "2024/10/10T10:10:10Z", "2024-1-10T10:10:10Z", "2024-10-10T1:10:10Z",
            "20241010T101010Z", "2024-10-10T10:10:10+1", "2024-10-10T10:10:10+01", "2024-10-10T10:10:10+01:0",
            "2024-10-10T10:10:10+010", "2024-10-10T10:10:10+01000", "2024-10-10T10:10:10+01:00Z",
            "2024-10-10T10:10:10+0a:00",
            "2024-10-10T10:10:1०Z", "２024-10-10T10:10:10Z", "2024-10-10T10:10:10GMT", "2024-10-10T10:10:10Etc/GMT",
            "1728555010", "2024-W41-4T10:10:10Z",
        ])
    func otherForms(text: String) {
        #expect(seconds(text) == nil)
    }

    @Test(
        "A date truncated at any length is rejected",
        arguments: ["2024-10-10T10:10:10.123Z", "2024-10-10T10:10:10+01:00"])
    func truncated(text: String) {
        #expect(seconds(text) != nil)
        for length in 0..<text.count { #expect(seconds(String(text.prefix(length))) == nil) }
    }

    // MARK: Writing

    @Test("Milliseconds are written unless they are zero, rounded to the nearest")
    func milliseconds() {
        let strings = [0.25, 0.001, 0.0004, 0.0006, 0.9994, 0.9999, -0.25, -0.0004].map {
            RFC3339.string(from: Date(timeIntervalSince1970: 1_719_932_645 + $0))
        }
        #expect(
            strings == [
                "2024-07-02T15:04:05.250Z", "2024-07-02T15:04:05.001Z", "2024-07-02T15:04:05Z",
                "2024-07-02T15:04:05.001Z", "2024-07-02T15:04:05.999Z", "2024-07-02T15:04:06Z",
                "2024-07-02T15:04:04.750Z", "2024-07-02T15:04:05Z",
            ])
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: -0.25)) == "1969-12-31T23:59:59.750Z")
    }

    @Test("Dates beyond four-digit years are written as the nearest date within them")
    func beyond() {
        let first = "0000-01-01T00:00:00Z"
        let last = "9999-12-31T23:59:59Z"
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: -62_167_219_201)) == first)
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: 253_402_300_801)) == last)
        #expect(RFC3339.string(from: .distantPast) == "0000-12-30T00:00:00Z")
        #expect(RFC3339.string(from: .distantFuture) == "4001-01-01T00:00:00Z")
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: -.infinity)) == first)
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: .infinity)) == last)
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: .greatestFiniteMagnitude)) == last)
        #expect(RFC3339.string(from: Date(timeIntervalSince1970: -.greatestFiniteMagnitude)) == first)
    }

    @Test("A date that isn't a number doesn't trap")
    func notANumber() {
        #expect(RFC3339.date(from: RFC3339.string(from: Date(timeIntervalSince1970: .nan))) != nil)
    }

    // MARK: Round trip

    @Test("Written dates are read unchanged, in all years")
    func roundTrip() {
        var instant: Int64 = -62_167_219_200
        var count = 0
        while instant <= 253_402_300_799 {
            let date = Date(timeIntervalSince1970: Double(instant))
            let text = RFC3339.string(from: date)
            if RFC3339.date(from: text) != date { Issue.record("\(text) isn't read as the date that was written.") }
            count += 1
            // A prime number of seconds, about 1.5 years, so that months, days and times of day all vary.
            instant += 47_114_699
        }
        #expect(count > 6_000)
    }

    @Test("Written dates are read unchanged, on every day around leap years", arguments: [1896, 1996, 2096, 9990])
    func everyDay(year: Int) throws {
        var date = try #require(RFC3339.date(from: "\(year)-01-01T12:34:56Z"))
        var before = ""
        for _ in 0..<9 * 365 {
            let text = RFC3339.string(from: date)
            #expect(text > before)
            #expect(RFC3339.date(from: text) == date)
            before = text
            date += 86_400
        }
        #expect(before.hasSuffix("T12:34:56Z"))
    }

    @Test("Written milliseconds are read unchanged")
    func roundTripOfMilliseconds() {
        for millisecond in 1...999 {
            let digits = String("\(1000 + millisecond)".dropFirst())
            for start in ["2024-07-02T15:04:05.", "1969-12-31T23:59:59.", "4000-12-31T23:59:59."] {
                let text = start + digits + "Z"
                #expect(RFC3339.date(from: text).map(RFC3339.string(from:)) == text)
            }
        }
    }

    @Test("Foundation reads and writes the same dates")
    func foundation() {
        let formatter = ISO8601DateFormatter()
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<500 {
            // 1600 to 4001.
            let date = Date(
                timeIntervalSince1970: Double(Int64.random(in: -11_676_096_000...64_092_211_200, using: &generator)))
            let text = formatter.string(from: date)
            #expect(RFC3339.string(from: date) == text)
            #expect(RFC3339.date(from: text) == date)
        }
    }

    @Test("A date is created from its components")
    func fields() {
        let date = RFC3339.date(year: 2024, month: 2, day: 29, hour: 12, minute: 0, second: 0)
        #expect(date.timeIntervalSince1970 == 1_709_208_000)
        #expect(RFC3339.string(from: date) == "2024-02-29T12:00:00Z")
    }
}
