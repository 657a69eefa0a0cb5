/// Joins customers whose records are in several blocks, and checks that the records of each customer follow one
/// another.
struct CustomerOrder: Sendable {
    /// The customer whose records may continue in the next block.
    private var pending: BatchCustomer?
    /// Hashes of the ids so far. The ids themselves would take several times the memory. Two ids with one hash, which
    /// are unlikely, would end the run as if the second one had occurred before.
    private var seen: Set<Int> = []
    /// The number of customers with an id so far.
    var count: Int { seen.count }
    /// Why the records can't be grouped; nil if they can.
    private(set) var fault: String?

    /// Returns the text of the results that are complete with a block.
    mutating func text(of results: BatchBlockResults, by validator: BatchValidator) -> [UInt8] {
        guard let first = results.customers.first, let last = results.customers.last else { return results.text }
        for customer in results.customers where !isContinued(by: customer, first: first) { check(customer) }
        var text: [UInt8] = []
        if isContinued(by: first, first: first) {
            pending?.add(first)
        } else {
            text = pending.map { validator.text(of: $0) } ?? []
            pending = first
        }
        if let pending, pending.records > BatchCustomer.maxRecords {
            fault =
                "More than \(BatchCustomer.maxRecords) records have the id of the one on line \(pending.line). "
                + "--group-by id combines the records of one customer."
        }
        guard fault == nil else {
            pending = nil
            return []
        }
        if results.customers.count > 1 {
            text += pending.map { validator.text(of: $0) } ?? []
            text += results.text
            pending = last
        }
        return text
    }

    /// Returns the text of the last customer's results; nil if there is none.
    mutating func lastText(by validator: BatchValidator) -> [UInt8]? {
        defer { pending = nil }
        return pending.map { validator.text(of: $0) }
    }

    /// Whether a customer of the next block is the pending one.
    private func isContinued(by customer: BatchCustomer, first: BatchCustomer) -> Bool {
        customer.line == first.line && pending?.isSame(as: first.key) == true
    }

    /// Records a new customer, and a fault if the id occurred before.
    private mutating func check(_ customer: BatchCustomer) {
        guard let key = customer.key, !seen.insert(key.hashValue).inserted else { return }
        fault =
            fault ?? "The id of the record on line \(customer.line) occurred before other ids: its customer's results "
            + "were written without this record. Sort the records by id for --group-by, for example with ORDER BY."
    }
}
