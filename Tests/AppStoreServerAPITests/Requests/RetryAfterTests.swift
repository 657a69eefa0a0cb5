import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("Retry-After")
struct RetryAfterTests {
    @Test(
        "Milliseconds since 1970, seconds since 1970, seconds to wait and HTTP dates are distinguished by their form",
        arguments: [
            ("1735689630000", 30.0), ("1735689630", 30), ("30", 30), ("0", 0), (" 7", 7),
            ("Wed, 01 Jan 2025 00:00:30 GMT", 30), ("1735689600000", 0),
        ])
    func forms(_ value: String, _ seconds: Double) {
        #expect(RetryAfter.date(value, now: now)?.timeIntervalSince(now) == seconds)
    }

    @Test(
        "A date in the past means now, and no date is later than in a day",
        arguments: [
            ("1735689540000", 0.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("100000", 86_400),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("99999999999999999999", 86_400), ("4102444800", 86_400),
        ])
    func bounds(_ value: String, _ seconds: Double) {
        #expect(RetryAfter.date(value, now: now)?.timeIntervalSince(now) == seconds)
    }

    @Test(
        "Other values are ignored",
        arguments: [
            "", "soon", "-1", "nan", "inf", "1e300", "0x10", "1.5", "+3", "３", "1_000", "Wed, 01 Foo 2025 00:00:30 GMT",
            "Wed, 01 Jan 2025", "2025-01-01",
        ])
    func malformed(_ value: String) {
        #expect(RetryAfter.date(value, now: now) == nil)
    }
}
