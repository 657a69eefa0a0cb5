#if Server
import Hummingbird
import Testing

@testable import AppReceiptServer

@Suite("Response")
struct ResponseTests {
    private let registry = PrometheusRegistry()

    @available(AppReceiptServer 1.0, *)
    private func admission(bytes: Int) -> Admission {
        var limits = ServerLimits()
        limits.maxTotalBodyBytes = bytes
        return Admission(limits: limits, metrics: ServerMetrics(registry))
    }

    @available(AppReceiptServer 1.0, *)
    private func response(_ count: Int) -> Response {
        Response(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0) }, contentType: "text/plain")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A long response is sent in pieces and whole", arguments: [0, 1, 65_536, 65_537, 262_145, 600_000])
    func pieces(count: Int) async throws {
        let response = response(count)
        let pieces = try await response.pieces()
        #expect(pieces.flatMap(\.self) == (0..<count).map { UInt8(truncatingIfNeeded: $0) })
        #expect(pieces.allSatisfy { $0.count <= 262_144 })
        #expect(response.headers[.contentLength] == "\(count)")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A long response has memory reserved until it is released, and a short one needs none")
    func reservation() async throws {
        let admission = admission(bytes: 400_000)
        let short = try response(65_536).reservingMemory(from: admission)
        #expect(registry.number("appreceipt_body_bytes") ?? 0 == 0)
        do {
            let long = try response(300_000).reservingMemory(from: admission)
            #expect(registry.number("appreceipt_body_bytes") == 300_000)
            #expect(throws: OverloadError(.memory)) { try response(300_000).reservingMemory(from: admission) }
            #expect(try await long.pieces().map(\.count) == [262_144, 37_856])
        }
        #expect(registry.number("appreceipt_body_bytes") == 0)
        #expect(try await short.pieces().count == 1)
    }
}
#endif
