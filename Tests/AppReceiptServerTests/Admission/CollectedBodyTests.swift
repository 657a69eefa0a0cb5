#if Server
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import AppReceiptServer

@Suite("CollectedBody")
struct CollectedBodyTests {
    private let registry = PrometheusRegistry()

    @available(AppReceiptServer 1.0, *)
    private func admission() -> Admission {
        var limits = ServerLimits()
        limits.maxBodyBytes = 4096
        limits.maxTotalBodyBytes = 6000
        return Admission(limits: limits, metrics: ServerMetrics(registry))
    }

    /// Reads a body with parts of the given sizes that ends normally, with an error, or never.
    @available(AppReceiptServer 1.0, *)
    private func read(
        _ sizes: [Int], announcing length: String? = nil, ends: Bool = true, endingWith error: (any Error)? = nil,
        admission: Admission? = nil
    ) async throws -> CollectedBody {
        let (parts, continuation) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
        for size in sizes { continuation.yield(ByteBuffer(repeating: 0x20, count: size)) }
        if ends { continuation.finish(throwing: error) }
        var head = HTTPRequest(method: .post, scheme: nil, authority: "x", path: "/")
        head.headerFields[.contentLength] = length
        let admission = admission ?? self.admission()
        return try await CollectedBody.read(
            Request(head: head, body: RequestBody(asyncSequence: parts)), admission: admission)
    }

    private var reservedBytes: Int? { registry.number("appreceipt_body_bytes") }

    @available(AppReceiptServer 1.0, *)
    @Test("A body is read whole, and its memory is released with it")
    func whole() async throws {
        do {
            let body = try await read([0, 1, 1000, 3000, 95])
            #expect(body.bytes == [UInt8](repeating: 0x20, count: 4096))
            #expect(reservedBytes == 4096)
            withExtendedLifetime(body) {}
        }
        #expect(reservedBytes == 0)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Memory is reserved for the parts that arrive, not for the announced length")
    func announcement() async throws {
        let admission = admission()
        let bodies = [
            try await read([100], announcing: "4096", admission: admission),
            try await read([100], announcing: "4096", admission: admission),
            try await read([], announcing: "4096", admission: admission),
        ]
        #expect(reservedBytes == 200)
        withExtendedLifetime(bodies) {}
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body is complete when all announced bytes have arrived")
    func announcedLength() async throws {
        #expect(try await read([60, 40], announcing: "100", ends: false).bytes.count == 100)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body that exceeds the memory of all bodies is rejected, and smaller ones are read")
    func overload() async throws {
        let admission = admission()
        let first = try await read([4096], admission: admission)
        await #expect(throws: OverloadError(.memory)) { try await read([1000, 1000], admission: admission) }
        let second = try await read([1000], admission: admission)
        #expect(reservedBytes == 5096)
        withExtendedLifetime((first, second)) {}
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body that is too large is rejected by its announced length, or once it exceeds the limit")
    func tooLarge() async throws {
        for length in ["4097", "99999999999999999999999"] {
            await #expect(throws: CollectedBody.TooLarge.self) { try await read([], announcing: length) }
        }
        await #expect(throws: CollectedBody.TooLarge.self) { try await read([2048, 2048, 1]) }
        #expect(reservedBytes ?? 0 == 0)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body that ends early or is malformed is a client error")
    func broken() async throws {
        struct ParserError: Error {}
        await #expect(throws: CollectedBody.Broken.self) { try await read([100], endingWith: ParserError()) }
        await #expect(throws: CancellationError.self) { try await read([100], endingWith: CancellationError()) }
        #expect(reservedBytes == 0)
    }
}
#endif
