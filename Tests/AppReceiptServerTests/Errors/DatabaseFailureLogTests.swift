#if Server
import AppReceiptStore
import AppReceiptSupport
import Foundation
import Testing

@testable import AppReceiptServer

@Suite("DatabaseFailureLog")
struct DatabaseFailureLogTests {
    @available(AppReceiptServer 1.0, *)
    @Test("Each failure is counted, and the same one logged once a minute, with the number since; cancellation never")
    func repetitions() {
        let (log, start) = (CapturedLog(), ContinuousClock.now)
        let time = LockedValueBox(start)
        let counted = LockedValueBox(0)
        let failures = DatabaseFailureLog(
            count: { _ in counted.withLock { $0 += 1 } }, now: { time.withLock { $0 } })
        func lines() -> Int { log.text.split(separator: "\n").count }
        for _ in 0..<1000 { failures.log(.full, logger: log.logger) }
        failures.log(.canceled, logger: log.logger)
        #expect(lines() == 1)
        failures.log(.locked, logger: log.logger)
        #expect(lines() == 2)
        time.withLock { $0 = start + .seconds(60) }
        failures.log(.full, logger: log.logger)
        #expect(lines() == 3)
        #expect(log.text.contains("\"repeated\": 999"))
        #expect(counted.withLock(\.self) == 1002)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("That the database works again is logged once, after a failure that isn't about a purchase")
    func recovery() {
        let log = CapturedLog()
        let failures = DatabaseFailureLog()
        func count(_ text: String) -> Int { log.text.components(separatedBy: text).count - 1 }
        failures.log(.tooMuchEvidence, logger: log.logger)
        failures.log(.write, logger: log.logger)
        #expect(count("works again") == 0)
        failures.log(.full, logger: log.logger)
        // A read doesn't prove that there is room.
        failures.log(.read, logger: log.logger)
        #expect(count("works again") == 0)
        for _ in 1...2 { failures.log(.write, logger: log.logger) }
        #expect(count("works again") == 1)
        failures.log(.databaseUnreachable, logger: log.logger)
        failures.log(.read, logger: log.logger)
        #expect(count("works again") == 2)
        // The last line is true, although the same failure was logged less than a minute ago.
        failures.log(.full, logger: log.logger)
        #expect(count("The disk is full") == 2)
        // A small write doesn't prove that a disk has room that the check found full.
        failures.log(.full, isOfCheck: true, logger: log.logger)
        failures.log(.write, logger: log.logger)
        #expect(count("works again") == 2)
        failures.log(.check, logger: log.logger)
        #expect(count("works again") == 3)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Background tasks log the same failure once")
    func backgroundTasks() async throws {
        let (log, metrics) = (CapturedLog(), ServerMetrics(PrometheusRegistry()))
        let service = try ReceiptService(ServerConfiguration(), metrics: metrics, logger: log.logger)
        try await service.store.close()
        let recorder = DueEventRecorder(
            store: service.store, databaseFailures: service.databaseFailures, logger: log.logger)
        let sender = WebhookSender(
            apps: [], allowedHosts: [], store: service.store, metrics: metrics,
            databaseFailures: service.databaseFailures, logger: log.logger)
        for _ in 1...3 {
            await recorder.recordDueEvents()
            await sender.storeConfiguration()
        }
        #expect(log.text.components(separatedBy: "The database failed").count == 2)
    }
}
#endif
