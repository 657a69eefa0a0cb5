#if Server
import AppReceiptKit
public import CoreMetrics
import AppReceiptSupport

/// A backend for swift-metrics that keeps its numbers in memory and writes them as Prometheus reads them.
///
/// Counters become counters, meters and recorders that do not aggregate gauges, timers histograms in seconds, recorders that
/// aggregate histograms. Labels and names are made fit for Prometheus. At most ``maxSeries`` series are kept, so that a
/// label that somebody chooses freely cannot fill the memory: what goes beyond is counted and not shown.
/// Source: Prometheus, Exposition formats, text format 0.0.4.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The most series that are kept.
    public static let maxSeries = 5_000

    private struct Families: Sendable {
        var families: [String: PrometheusFamily] = [:]
        var series = 0
    }

    private let families = LockedValueBox(Families())

    /// A registry of nothing.
    public init() {}

    /// Says what a metric is; shown with it.
    public func describe(_ label: String, _ help: String) {
        let name = PrometheusText.name(label)
        families.withLock { $0.families[name, default: PrometheusFamily()].help = help }
    }

    /// All of it, in the order of the names.
    public func text() -> String {
        let families = families.withLock(\.families)
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) { family.write(name, to: &text) }
        return text
    }

    private func series<Series: PrometheusSeries>(
        _ label: String, _ dimensions: [(String, String)], _ make: () -> Series
    ) -> Series {
        let name = PrometheusText.name(label)
        let labels = PrometheusText.labels(dimensions)
        return families.withLock { families in
            var family = families.families[name] ?? PrometheusFamily()
            if let known = family.series[labels] as? Series { return known }
            let new = make()
            // One name has one type; a second type of the same name would make the whole page unreadable.
            let isFit = family.type == nil || family.type == Series.type
            guard isFit, families.series < Self.maxSeries else { return new }
            family.type = Series.type
            family.series[labels] = new
            families.families[name] = family
            families.series += 1
            return new
        }
    }

    // MARK: MetricsFactory

    /// A counter, shown as `counter`.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions) { PrometheusCounter() }
    }

    /// A number that goes up and down, shown as `gauge`.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions) { PrometheusGauge() }
    }

    /// Without `aggregate` a number that goes up and down; with it how many values were how large, shown as `histogram`.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return series(label, dimensions) { PrometheusGauge() } }
        return series(label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.sizes) }
    }

    /// How many took how long, shown as `histogram` in seconds.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions) { PrometheusHistogram(bounds: PrometheusHistogram.seconds) }
    }

    /// Does nothing: what was counted stays, as a series that comes and goes is a gap in a graph.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing: what was counted stays, as a series that comes and goes is a gap in a graph.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing: what was counted stays, as a series that comes and goes is a gap in a graph.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing: what was counted stays, as a series that comes and goes is a gap in a graph.
    public func destroyTimer(_ handler: any TimerHandler) {}
}

/// All series of one name.
struct PrometheusFamily: Sendable {
    var help: String?
    var type: String?
    /// By their labels as they are written.
    var series: [String: any PrometheusSeries] = [:]

    func write(_ name: String, to text: inout String) {
        guard let type, !series.isEmpty else { return }
        if let help { text += "# HELP \(name) \(PrometheusText.help(help))\n" }
        text += "# TYPE \(name) \(type)\n"
        for (labels, series) in series.sorted(by: { $0.key < $1.key }) { series.write(name, labels, to: &text) }
    }
}
#endif
