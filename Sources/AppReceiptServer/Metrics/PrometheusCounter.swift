#if Server
import AppReceiptSupport
import AppReceiptKit
import CoreMetrics

/// A number that only increases.
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
#endif
