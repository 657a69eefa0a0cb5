#if Server
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
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

    @available(AppReceiptServer 1.0, *)
    @Test("Routes, responses to errors and reloaded configurations share one log")
    func sharing() async throws {
        let log = CapturedLog()
        let service = try ReceiptService(
            ServerConfiguration(), metrics: ServerMetrics(PrometheusRegistry()), logger: log.logger)
        let reloaded = ReceiptService(ServerConfiguration(), replacing: service, logger: log.logger)
        for service in [service, reloaded] {
            for _ in 0..<2 {
                service.errorResponses.log(
                    APIError.badRequest(.optionUnknown, "…"), route: "/v1/a", logger: log.logger)
            }
            service.rejections.log("option-unknown", route: "/v1/a", logger: log.logger)
        }
        #expect(log.text.split(separator: "\n").count { $0.contains("Request rejected") } == 1)
        try await service.store.close()
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Evidence that doesn't verify is logged with its code and route, and a path that doesn't exist")
    func evidence() async throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed(by: .elliptic)
        try await TestServer.with { server async throws in
            for _ in 0..<2 {
                _ = try await server.post("/v1/receipts/validate", ["receipt": "AAAA", "evidence": [.string(token)]])
                _ = try await server.post("/v1/signed-data/verify", ["token": .string(token)])
                _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [.string(token)]])
                _ = try await server.get("/v1/nothing")
            }
            let lines = server.log.text.split(separator: "\n")
            for route in ["/v1/receipts/validate", "/v1/signed-data/verify", "/v1/accounts/{account}/evidence"] {
                let rejected = lines.filter { $0.contains("Evidence rejected") && $0.contains(route) }
                #expect(rejected.count == (route == "/v1/receipts/validate" ? 2 : 1))
                #expect(rejected.contains { $0.contains("token-signature-malformed") }, "\(rejected)")
            }
            #expect(lines.count { $0.contains("not-found") } == 1)
            #expect(!server.log.text.contains(token))
        }
    }
}
#endif
