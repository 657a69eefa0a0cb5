import Foundation
import Testing

@testable import AppReceiptSupport

@Suite("CivilTime")
struct CivilTimeTests {
    @Test("Date and time are padded with zeros and separated by a space or a T")
    func text() {
        for (day, second, expected) in [
            ((2020, 7, 22), 63_548, "2020-07-22 17:39:08"), ((1, 1, 1), 0, "0001-01-01 00:00:00"),
            ((9999, 12, 31), 86_399, "9999-12-31 23:59:59"), ((0, 2, 29), 60, "0000-02-29 00:01:00"),
        ] as [((Int64, Int64, Int64), Int64, String)] {
            let spaced = CivilTime((day.0, day.1, day.2), secondOfDay: second, separator: .space)
            #expect(String(capacity: CivilTime.count) { spaced.append(to: &$0) } == expected)
            let joined = CivilTime((day.0, day.1, day.2), secondOfDay: second, separator: .t)
            #expect(
                String(capacity: CivilTime.count) { joined.append(to: &$0) }
                    == expected.replacingOccurrences(of: " ", with: "T"))
        }
    }

    @Test("Every second of a day is written")
    func seconds() {
        func digits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        for second in 0..<Int64(86_400) {
            let time = CivilTime((2024, 10, 9), secondOfDay: second, separator: .space)
            let expected = "2024-10-09 \(digits(second / 3600)):\(digits(second / 60 % 60)):\(digits(second % 60))"
            #expect(String(capacity: CivilTime.count) { time.append(to: &$0) } == expected)
        }
    }
}
