#if Server
import AppReceiptSupport
import Testing

@testable import AppReceiptServer

@Suite("RejectionLog")
struct RejectionLogTests {
    @available(AppReceiptServer 1.0, *)
    @Test("The same rejection is logged once a minute, with the number since")
    func repetitions() {
        let (log, start) = (CapturedLog(), ContinuousClock.now)
        let time = LockedValueBox(start)
        let rejections = RejectionLog { time.withLock { $0 } }
        func lines() -> Int { log.text.split(separator: "\n").count }
        for _ in 0..<5 { rejections.log("option-unknown", route: "/v1/a", logger: log.logger) }
        #expect(lines() == 1)
        rejections.log("option-unknown", route: "/v1/b", logger: log.logger)
        rejections.log("body-malformed", route: "/v1/a", logger: log.logger)
        #expect(lines() == 3)
        time.withLock { $0 = start + .seconds(60) }
        rejections.log("option-unknown", route: "/v1/a", logger: log.logger)
        #expect(lines() == 4)
        #expect(log.text.contains("\"repeated\": 4"))
        #expect(log.text.contains("option-unknown"))
    }
}
#endif
