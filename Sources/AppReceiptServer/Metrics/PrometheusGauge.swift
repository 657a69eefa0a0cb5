#if Server
import AppReceiptSupport
import AppReceiptKit
import CoreMetrics

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

    func write(_ name: String, _ labels: String, to text: inout String) {
        text += PrometheusText.sample(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}
#endif
