import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("Retry-After")
struct RetryAfterTests {
    @Test(
        "Milliseconds since 1970, seconds since 1970, seconds to wait and HTTP dates are distinguished by their form",
        arguments: [
            ("1735689630000", 30.0), ("1735689630", 30), ("30", 30), ("0", 0), (" 1.5", 1.5),
            ("Wed, 01 Jan 2025 00:00:30 GMT", 30), ("1735689600000", 0), ("1735689540000", -60),
        ])
    func forms(_ value: String, _ seconds: Double) {
        #expect(RetryAfter.date(value, now: now)?.timeIntervalSince(now) == seconds)
    }

    @Test(
        "Other values are ignored",
        arguments: [
            "", "soon", "-1", "nan", "inf", "1e300", "Wed, 01 Foo 2025 00:00:30 GMT", "Wed, 01 Jan 2025", "2025-01-01",
        ])
    func malformed(_ value: String) {
        #expect(RetryAfter.date(value, now: now) == nil)
    }
}
