#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppStoreServerAPI
import Logging

/// Sends spans to a collector over OTLP/HTTP. A batch that isn't accepted is sent once more if the collector may accept
/// it later, and then dropped and counted.
///
/// Source: OpenTelemetry Protocol 1.5, OTLP/HTTP.
@available(AppReceiptServer 1.0, *)
struct SpanExporter: Sendable {
    let buffer: SpanBuffer
    let configuration: TracingConfiguration
    let document: OTLPDocument
    let metrics: ServerMetrics
    let logger: Logger
    /// The longest time of the last export, when the server shuts down.
    let shutdownTimeout: Duration
    /// Sends requests, and waits.
    var transport: any AppStoreServerTransport = AppStoreServerClient.AsyncHTTPClientTransport()
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    private let failures = RepetitionLog<String>()

    /// The longest time that a span waits for others.
    static let interval = Duration.seconds(5)
    private static let timeout = Duration.seconds(10)
    private static let lastTimeout = Duration.seconds(2)
    private static let maxDelay = 30

    /// The result of sending a batch.
    private enum Outcome {
        /// The collector has the batch, apart from some spans that it rejects.
        case accepted(rejected: Int)
        /// - `delay`: When the batch may be sent again; nil for never.
        case failed(reason: String, delay: Duration?)
    }

    /// Exports spans while an operation runs, and then those that are left.
    func exporting<Value>(while operation: () async throws -> Value) async throws -> Value {
        let running = Task { await run() }
        func stop() async {
            running.cancel()
            await running.value
            await exportRest()
        }
        let value: Value
        do {
            value = try await operation()
        } catch {
            await stop()
            throw error
        }
        await stop()
        return value
    }

    /// Exports batches when they are complete, and every few seconds, until it is canceled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    // Cancellation ends the loop.
                    try? await sleep(Self.interval)
                    buffer.wake()
                }
            }
            for await _ in buffer.wakeups {
                while !Task.isCancelled, let batch = buffer.take() { await export(batch) }
            }
            group.cancelAll()
        }
    }

    /// Exports what is left when the server shuts down, until a batch fails.
    private func exportRest() async {
        let (start, limit) = (ContinuousClock.now, min(Self.lastTimeout, shutdownTimeout))
        while let batch = buffer.take() {
            let left = limit - (ContinuousClock.now - start)
            guard left > .zero, case .accepted(let rejected) = await send(batch, timeout: left) else {
                drop(batch.count, because: "the server stops")
                continue
            }
            count(batch, rejected: rejected)
        }
    }

    private func export(_ batch: [SpanRecord]) async {
        var outcome = await send(batch, timeout: Self.timeout)
        if case .failed(_, let delay?) = outcome, (try? await sleep(delay)) != nil {
            outcome = await send(batch, timeout: Self.timeout)
        }
        switch outcome {
        case .accepted(let rejected): count(batch, rejected: rejected)
        // The server shuts down. The collector may get these spans twice.
        case .failed where Task.isCancelled: buffer.putBack(batch)
        case .failed(let reason, _): drop(batch.count, because: reason)
        }
    }

    private func count(_ batch: [SpanRecord], rejected: Int) {
        metrics.countExportedSpans(batch.count - rejected)
        if rejected > 0 { drop(rejected, because: "rejected by the collector") }
    }

    private func drop(_ count: Int, because reason: String) {
        metrics.countDroppedSpans(count, because: .exportFailed)
        failures.log(
            reason, level: .warning, message: "Spans of traces were dropped, because they can't be exported",
            metadata: ["reason": "\(reason)", "spans": .stringConvertible(count)], logger: logger)
    }

    private func send(_ batch: [SpanRecord], timeout: Duration) async -> Outcome {
        let request = AppStoreServerHTTPRequest(
            method: .post, url: configuration.tracesAddress, headers: ["Content-Type": "application/json"],
            body: document.json(batch), timeout: timeout, maxResponseBytes: 64 << 10)
        do {
            let response = try await transport.send(request)
            switch response.status {
            case 200..<300:
                return .accepted(rejected: Self.rejectedSpans(in: response.body, of: batch.count))
            case 429, 502, 503, 504:
                let seconds = response.headers["retry-after"].flatMap { Int($0) } ?? 5
                return .failed(
                    reason: "status \(response.status)", delay: .seconds(min(max(seconds, 1), Self.maxDelay)))
            default:
                return .failed(reason: "status \(response.status)", delay: nil)
            }
        } catch let error as AppStoreServerTransportError {
            return .failed(reason: error.reason, delay: nil)
        } catch {
            return .failed(reason: "canceled", delay: nil)
        }
    }

    /// Returns the number of spans that the collector rejects, a number of 64 bits in its response.
    private static func rejectedSpans(in body: [UInt8], of count: Int) -> Int {
        let response = try? AppStoreJSON(parsing: body[...]).object
        guard let value = response?["partialSuccess"]?.object?["rejectedSpans"] else { return 0 }
        return min(max((value.string ?? value.number?.text).flatMap { Int($0) } ?? 0, 0), count)
    }
}
#endif
