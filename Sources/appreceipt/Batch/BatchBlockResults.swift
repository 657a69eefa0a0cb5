import AppReceiptKit
import AppReceiptSupport

/// The results for a block of records.
struct BatchBlockResults: Sendable {
    /// One line of JSON for each result.
    var text: [UInt8] = []
    var tally = BatchTally()
    /// Whether the record of the output's last result has the same id as that result; nil if the record isn't in this block.
    var matchesLastResult: Bool?
    /// The line of a record with an unclosed quotation mark.
    var unclosedLine: Int?

    /// Adds the result for a record.
    mutating func add(_ result: BatchResult, line: Int, id: JSONValue) {
        switch result.verdict {
        case .valid: tally.valid += 1
        case .invalid: tally.invalid += 1
        case .error: tally.errors += 1
        }
        if let failure = result.failure { tally.codes[failure.code, default: 0] += 1 }
        text.append(contentsOf: JSONOutput.line(result.json(line: line, id: id)))
    }
}
