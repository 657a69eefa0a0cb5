#if Server
/// All series with the same name.
struct PrometheusFamily: Sendable {
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
        for (labels, series) in series.sorted(by: { $0.key < $1.key }) { series.write(name, labels, to: &text) }
    }
}
#endif
