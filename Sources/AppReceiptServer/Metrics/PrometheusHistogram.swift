#if Server
import AppReceiptSupport
import AppReceiptKit
import CoreMetrics

/// The distribution of a number: how many values are at most each bound, their sum and their count.
final class PrometheusHistogram: PrometheusSeries, TimerHandler, RecorderHandler {
    static let type = "histogram"
    /// Bounds in seconds. A small receipt takes 50 µs.
    static let seconds = [
        0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// Bounds in bytes.
    static let sizes: [Double] = [256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216]

    private struct Counts: Sendable {
        var buckets: [Int64]
        var sum = 0.0
        var count: Int64 = 0
    }

    private let bounds: [Double]
    private let counts: LockedValueBox<Counts>

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = LockedValueBox(Counts(buckets: Array(repeating: 0, count: bounds.count)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 }
        counts.withLock { counts in
            if let bucket { counts.buckets[bucket] += 1 }
            counts.sum += value
            counts.count += 1
        }
    }

    func write(_ name: String, labels: String, to text: inout String) {
        let counts = counts.withLock { $0 }
        let others = labels.isEmpty ? "" : labels + ","
        var total: Int64 = 0
        for (bound, count) in zip(bounds, counts.buckets) {
            total += count
            text += PrometheusText.sample(
                name + "_bucket", labels: "\(others)le=\"\(PrometheusText.number(bound))\"",
                value: String(total))
        }
        text += PrometheusText.sample(name + "_bucket", labels: others + "le=\"+Inf\"", value: String(counts.count))
        text += PrometheusText.sample(name + "_sum", labels: labels, value: PrometheusText.number(counts.sum))
        text += PrometheusText.sample(name + "_count", labels: labels, value: String(counts.count))
    }
}
#endif
