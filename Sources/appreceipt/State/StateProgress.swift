#if Server
import AppReceiptStore
import AppReceiptSupport
import Dispatch

/// The progress of a command that reads every row: a line on standard error, if it is a terminal.
struct StateProgress {
    private let start = DispatchTime.now().uptimeNanoseconds
    private var lastUpdate: UInt64 = 0
    private(set) var count = 0

    /// Counts rows, and updates the line at most twice a second.
    mutating func add(_ rows: Int, of kind: StoredRow.Kind) {
        count += rows
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - lastUpdate > 500_000_000 else { return }
        lastUpdate = now
        Terminal.showProgress("\(summary), at \(kind.rawValue)")
    }

    /// Replaces the line by the numbers of rows in total and per second.
    func finish() {
        Terminal.clearProgress()
        Terminal.note(summary)
    }

    private var summary: String {
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        let tenths = Int((seconds * 10).rounded())
        let rate = BatchProgress.grouped(Int(Double(count) / max(seconds, 0.001)))
        return "\(BatchProgress.grouped(count)) rows in \(tenths / 10).\(tenths % 10) s (\(rate) a second)"
    }
}

extension EvidenceStore {
    /// Reads all rows of a kind, some at a time: receipts are large.
    func forEachPage(of kind: StoredRow.Kind, _ body: ([StoredRow]) async throws -> Void) async throws {
        var position: [StoredValue]?
        repeat {
            let page = try await rows(of: kind, after: position, limit: kind == .receipt ? 32 : 500)
            try await body(page.rows)
            position = page.next
        } while position != nil
    }
}

extension AppStoreJSON {
    /// Creates an object of the counts of kinds or codes.
    init(counts: [(String, Int)]) {
        var object: Object = [:]
        for (name, count) in counts { object[name] = .number(Number(count)) }
        self = .object(object)
    }
}
#endif
