import AppReceiptValidator
import Foundation
import Testing

@Suite("AppReceiptValidator.ReceiptDateFormatter")
struct ReceiptDateFormatterTests {
    typealias Formatter = AppReceiptValidator.ReceiptDateFormatter

    @Test("Dates parse with and without milliseconds, and are formatted with them only if they aren't zero")
    func roundTrip() throws {
        let whole = try #require(Formatter.date(from: "2017-01-01T12:00:00Z"))
        #expect(whole.timeIntervalSince1970 == 1_483_272_000)
        #expect(Formatter.string(from: whole) == "2017-01-01T12:00:00Z")
        let fraction = try #require(Formatter.date(from: "2017-01-01T12:00:00.123Z"))
        #expect(abs(fraction.timeIntervalSince(whole) - 0.123) < 1e-6)
        #expect(Formatter.string(from: fraction) == "2017-01-01T12:00:00.123Z")
    }

    @Test("Text that isn't a date is nil", arguments: ["", "2017-01-01", "yesterday", "2017-13-01T12:00:00Z"])
    func noDate(_ text: String) {
        #expect(Formatter.date(from: text) == nil)
    }
}
