#if Server
import AppReceiptSupport
import CoreMetrics

/// The values of one name and one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The type in Prometheus' text format.
    static var type: String { get }

    /// Appends the samples in Prometheus' text format.
    ///
    /// - Parameters:
    ///   - name: The name of the metric.
    ///   - labels: The text between the braces; empty if there are no labels.
    ///   - text: The text.
    func write(_ name: String, labels: String, to text: inout String)
}

/// A number that only increases.
final class PrometheusCounter: PrometheusSeries, CounterHandler {
    static let type = "counter"
    private let value = LockedValueBox<Int64>(0)

    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        value.withLock { $0 &+= amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, labels: String, to text: inout String) {
        text += PrometheusText.sample(name, labels: labels, value: String(value.withLock { $0 }))
    }
}

/// A number with a fraction that only increases.
final class PrometheusFloatingPointCounter: PrometheusSeries, FloatingPointCounterHandler {
    static let type = "counter"
    private let value = LockedValueBox(0.0)

    func increment(by amount: Double) {
        guard amount > 0 else { return }
        value.withLock { $0 += amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, labels: String, to text: inout String) {
        text += PrometheusText.sample(name, labels: labels, value: PrometheusText.number(value.withLock { $0 }))
    }
}

/// A number that increases and decreases.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
    static let type = "gauge"
    private let value = LockedValueBox(0.0)

    func set(_ value: Int64) { self.value.withLock { $0 = Double(value) } }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, labels: String, to text: inout String) {
        text += PrometheusText.sample(name, labels: labels, value: PrometheusText.number(value.withLock { $0 }))
    }
}
#endif
