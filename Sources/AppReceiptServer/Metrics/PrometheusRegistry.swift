#if Server
import AppReceiptKit
public import CoreMetrics
import AppReceiptSupport

/// A backend for swift-metrics that keeps metrics in memory and writes them in Prometheus' text format.
///
/// | swift-metrics | Prometheus |
/// | --- | --- |
/// | counter, also with a fraction | `counter` |
/// | meter, recorder that doesn't aggregate | `gauge` |
/// | timer | `histogram`, in seconds |
/// | recorder that aggregates | `histogram` |
///
/// Characters that Prometheus doesn't allow in names and labels are replaced. At most ``maxSeries`` series are kept, so
/// a label with arbitrary values can't fill the memory. Further series are accepted, but not written.
///
/// Source: Prometheus, Exposition formats, text format 0.0.4.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The maximum number of series.
    public static let maxSeries = 5_000

    private struct Contents: Sendable {
        var families: [String: PrometheusFamily] = [:]
        var seriesCount = 0
    }

    private let contents = LockedValueBox(Contents())

    /// Creates an empty registry.
    public init() {}

    /// Sets the help text of a metric.
    public func setHelp(_ help: String, for label: String) {
        let name = PrometheusText.name(label)
        contents.withLock { $0.families[name, default: PrometheusFamily()].help = help }
    }

    /// Returns all metrics in Prometheus' text format, in the order of their names.
    public func text() -> String {
        let families = contents.withLock(\.families)
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) { family.write(name, to: &text) }
        return text
    }

    private func series<Series: PrometheusSeries>(
        _ label: String, dimensions: [(String, String)], make: () -> Series
    ) -> Series {
        let name = PrometheusText.name(label)
        let labels = PrometheusText.labels(dimensions)
        return contents.withLock { contents in
            if let known = contents.families[name]?.series[labels] as? Series { return known }
            let new = make()
            guard contents.seriesCount < Self.maxSeries else { return new }
            // Mutated in place, because a copy of the family would copy all of its series.
            if contents.families[name, default: PrometheusFamily()].add(new, labels: labels) {
                contents.seriesCount += 1
            }
            return new
        }
    }

    // MARK: MetricsFactory

    /// Creates a counter, or returns the one with this label and these dimensions.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions: dimensions) { PrometheusCounter() }
    }

    /// Creates a counter of numbers with a fraction, or returns the one with this label and these dimensions.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions: dimensions) { PrometheusFloatingPointCounter() }
    }

    /// Creates a gauge, or returns the one with this label and these dimensions.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions: dimensions) { PrometheusGauge() }
    }

    /// Creates a histogram of sizes if `aggregate` is true, otherwise a gauge, or returns the one with this label and
    /// these dimensions.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(label, dimensions: dimensions) { PrometheusGauge() } }
        return series(label, dimensions: dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.sizes) }
    }

    /// Creates a histogram in seconds, or returns the one with this label and these dimensions.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions: dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
    }

    /// Does nothing, because a series that disappears leaves a gap in graphs.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing, because a series that disappears leaves a gap in graphs.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    /// Does nothing, because a series that disappears leaves a gap in graphs.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing, because a series that disappears leaves a gap in graphs.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing, because a series that disappears leaves a gap in graphs.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// All series with the same name.
private struct PrometheusFamily: Sendable {
    var help: String?
    /// The type of the series; nil if there are none.
    private(set) var type: String?
    /// The series by their labels, in the form in which they are written.
    private(set) var series: [String: any PrometheusSeries] = [:]

    /// Adds a series.
    ///
    /// - Returns: False if the family has another type. Prometheus rejects a document with two types under one name.
    mutating func add<Series: PrometheusSeries>(_ new: Series, labels: String) -> Bool {
        guard type == nil || type == Series.type else { return false }
        type = Series.type
        series[labels] = new
        return true
    }

    /// Appends the family in Prometheus' text format. A family without series isn't written.
    func write(_ name: String, to text: inout String) {
        guard let type, !series.isEmpty else { return }
        if let help { text += "# HELP \(name) \(PrometheusText.help(help))\n" }
        text += "# TYPE \(name) \(type)\n"
        for (labels, series) in series.sorted(by: { $0.key < $1.key }) { series.write(name, labels: labels, to: &text) }
    }
}
#endif
