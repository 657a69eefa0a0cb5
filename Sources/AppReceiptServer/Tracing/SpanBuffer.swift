#if Server
import AppReceiptSupport

/// The spans that wait for their export. A span beyond the capacity is dropped and counted, so tracing never delays a
/// request.
final class SpanBuffer: Sendable {
    static let capacity = 4096
    /// The number of spans in a batch. With so many, an export begins at once.
    static let batchSize = 512

    private let spans = LockedValueBox<[SpanRecord]>([])
    private let metrics: ServerMetrics
    /// Has an element when an export is due.
    let wakeups: AsyncStream<Void>
    private let wakeup: AsyncStream<Void>.Continuation

    init(metrics: ServerMetrics) {
        self.metrics = metrics
        (wakeups, wakeup) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        metrics.countExportedSpans(0)
        for reason in SpanDropReason.allCases { metrics.countDroppedSpans(0, because: reason) }
    }

    /// Adds a span that has ended.
    func add(_ span: SpanRecord) {
        let count = spans.withLock { spans -> Int? in
            guard spans.count < Self.capacity else { return nil }
            spans.append(span)
            return spans.count
        }
        guard let count else { return metrics.countDroppedSpans(1, because: .bufferFull) }
        if count == Self.batchSize { wake() }
    }

    /// Takes the oldest spans, at most a batch; nil if there are none.
    func take() -> [SpanRecord]? {
        spans.withLock { spans in
            guard !spans.isEmpty else { return nil }
            let batch = Array(spans.prefix(Self.batchSize))
            spans.removeFirst(batch.count)
            return batch
        }
    }

    /// Puts a batch back that wasn't exported.
    func putBack(_ batch: [SpanRecord]) { spans.withLock { $0.insert(contentsOf: batch, at: 0) } }

    /// Begins an export.
    func wake() { wakeup.yield() }
}
#endif
