#if Server
import AppReceiptKit
import CoreMetrics
import AppReceiptSupport

/// The numbers behind one name and one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    static var type: String { get }
    /// - Parameter labels: as they stand between braces; empty for none.
    func write(_ name: String, _ labels: String, to text: inout String)
}

/// A number that only grows.
final class PrometheusCounter: PrometheusSeries, CounterHandler {
    static let type = "counter"
    private let value = LockedValueBox<Int64>(0)

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.withLock { $0 &+= amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += PrometheusText.sample(name, labels, String(value.withLock { $0 }))
    }
}

/// A number that goes up and down.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
    static let type = "gauge"
    private let value = LockedValueBox(0.0)

    func set(_ value: Int64) { self.value.withLock { $0 = Double(value) } }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += PrometheusText.sample(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}

/// How often a number was at most so much.
final class PrometheusHistogram: PrometheusSeries, TimerHandler, RecorderHandler {
    static let type = "histogram"
    /// From 50 µs, what a small receipt takes, to 10 s.
    static let seconds = [
        0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// From 256 to 16 MB.
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

    func write(_ name: String, _ labels: String, to text: inout String) {
        let counts = counts.withLock { $0 }
        let others = labels.isEmpty ? "" : labels + ","
        var total: Int64 = 0
        for (bound, count) in zip(bounds, counts.buckets) {
            total += count
            text += PrometheusText.sample(
                name + "_bucket", "\(others)le=\"\(PrometheusText.number(bound))\"", String(total))
        }
        text += PrometheusText.sample(name + "_bucket", others + "le=\"+Inf\"", String(counts.count))
        text += PrometheusText.sample(name + "_sum", labels, PrometheusText.number(counts.sum))
        text += PrometheusText.sample(name + "_count", labels, String(counts.count))
    }
}
#endif
