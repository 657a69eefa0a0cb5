#if Server
/// The values of one name and one set of labels.
protocol PrometheusSeries: AnyObject, Sendable {
    /// The type in Prometheus' text format.
    static var type: String { get }

    /// Appends the samples in Prometheus' text format.
    ///
    /// - Parameter labels: The text between the braces; empty if there are no labels.
    func write(_ name: String, _ labels: String, to text: inout String)
}
#endif
