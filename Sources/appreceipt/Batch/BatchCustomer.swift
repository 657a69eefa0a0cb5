import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// Consecutive records with the same id: what `--group-by id` treats as one customer.
struct BatchCustomer: Sendable {
    /// The maximum number of records, whose evidence is in memory.
    static let maxRecords = 10_000

    /// The line of the first record.
    let line: Int
    let id: AppStoreJSON
    /// The id as text, by which records are compared; nil without an id.
    let key: [UInt8]?

    private(set) var records = 0
    private var evidence = CustomerEvidence()
    /// The apps of the evidence, in the order of the records.
    private var apps: [ExactString] = []
    /// The first record that is valid and of a known environment.
    private var first: (line: Int, result: BatchResult)?
    /// Records that are rejected, or valid in an environment that isn't known.
    private var others: [(line: Int, result: BatchResult)] = []

    /// - Parameter record: A record without an id is a customer of its own.
    init(_ record: BatchRecord, line: Int) {
        self.line = line
        id = record.id
        key = id == .null ? nil : CSVText.text(of: id)
    }

    /// Whether a record or other customer is the same customer.
    func isSame(as key: [UInt8]?) -> Bool { key != nil && key == self.key }

    /// Adds the result for a record.
    mutating func add(_ result: BatchResult, line: Int) {
        records += 1
        guard result.verdict == .valid, result.environment != nil else { return others.append((line, result)) }
        first = first ?? (line, result)
        evidence.add(result.evidence)
        if let app = result.bundleIdentifier.map({ ExactString($0) }), !apps.contains(app) { apps.append(app) }
    }

    /// Adds the records that follow in the next block.
    mutating func add(_ next: BatchCustomer) {
        records += next.records
        first = first ?? next.first
        evidence.add(next.evidence)
        apps += next.apps.filter { !apps.contains($0) }
        others += next.others
    }

    /// Returns the rows: what the customer owns in each app and environment, from all records together, then a row for
    /// each record that was rejected.
    ///
    /// - Parameters:
    ///   - format: The format of the results.
    ///   - date: The date to evaluate; nil for the current time, but not before the newest evidence was signed.
    func text(format: ResultFormat, at date: Date?) -> [UInt8] {
        var text: [UInt8] = []
        let date = date ?? max(Date(), evidence.newestSignedDate ?? .distantPast)
        for app in apps {
            for environment in AppStoreEnvironment.allCases {
                var result = BatchResult(verdict: .valid, environment: environment)
                result.bundleIdentifier = app.text
                result.products =
                    Entitlements(
                        of: evidence, bundleIdentifier: app.text, environment: environment, at: date
                    ).all
                if !result.products.isEmpty { text += format.text(of: result, line: line, id: id) }
            }
        }
        if text.isEmpty, let first { text += format.text(of: first.result, line: first.line, id: id) }
        for (line, result) in others { text += format.text(of: result, line: line, id: id) }
        return text
    }
}
