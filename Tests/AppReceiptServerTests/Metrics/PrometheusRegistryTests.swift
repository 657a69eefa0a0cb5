#if Server
import Foundation
import AppReceiptServer
import CoreMetrics
import Testing

@Suite("PrometheusRegistry")
struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry()

    @Test("Counters, gauges, timers and recorders are written as Prometheus types, in the order of their names")
    func kinds() {
        registry.setHelp("Requests\nwith a \\ break.", for: "requests.total")
        Counter(label: "requests.total", dimensions: [("status", "200"), ("a", "b")], factory: registry)
            .increment(by: 3)
        Counter(label: "requests.total", dimensions: [("a", "b"), ("status", "200")], factory: registry).increment()
        Gauge(label: "open", factory: registry).record(2.5)
        Meter(label: "meter", factory: registry).increment(by: 2)
        Timer(label: "time", factory: registry).recordMilliseconds(3)
        Recorder(label: "size", factory: registry).record(300)
        let lines = registry.text().split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(3) == [
                "# TYPE meter gauge", "meter 2", "# TYPE open gauge",
            ])
        #expect(lines.contains("open 2.5"))
        #expect(lines.contains("# HELP requests_total Requests\\nwith a \\\\ break."))
        #expect(lines.contains(#"requests_total{a="b",status="200"} 4"#))
        #expect(lines.contains(#"time_bucket{le="0.0025"} 0"#))
        #expect(lines.contains(#"time_bucket{le="0.005"} 1"#))
        #expect(lines.contains(#"time_bucket{le="+Inf"} 1"#))
        #expect(lines.contains("time_count 1"))
        #expect(lines.contains("time_sum 0.003"))
        #expect(lines.contains(#"size_bucket{le="256"} 0"#))
        #expect(lines.contains(#"size_bucket{le="1024"} 1"#))
    }

    @Test("Invalid characters in names are replaced, and those in label values escaped")
    func escaping() {
        Counter(label: "9 lives/é", dimensions: [("__name", "a\"b\\c\nd")], factory: registry).increment()
        #expect(registry.text() == "# TYPE _9_lives__ counter\n_9_lives__{label__name=\"a\\\"b\\\\c\\nd\"} 1\n")
    }

    @Test("A second type under the same name isn't written")
    func oneType() {
        Counter(label: "x", factory: registry).increment()
        Gauge(label: "x", factory: registry).record(7)
        #expect(registry.text() == "# TYPE x counter\nx 1\n")
    }

    @Test("The number of series is bounded")
    func maxSeries() {
        for number in 0..<PrometheusRegistry.maxSeries + 100 {
            Counter(label: "x", dimensions: [("n", String(number))], factory: registry).increment()
        }
        let lines = registry.text().split(separator: "\n")
        #expect(lines.count == PrometheusRegistry.maxSeries + 1)
    }

    @Test("Increments from many threads are all counted")
    func concurrency() async {
        let registry = registry
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { Counter(label: "x", factory: registry).increment() }
                }
            }
        }
        #expect(registry.text().contains("x 8000\n"))
    }
}
#endif
