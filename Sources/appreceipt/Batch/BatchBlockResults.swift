import AppReceiptKit
import AppReceiptSupport

/// The results for a block of records.
struct BatchBlockResults: Sendable {
    /// The position in the input at which the block ends.
    let end: Int
    /// The results as they are written.
    var text: [UInt8] = []
    var tally = BatchTally()
    /// Whether the record of the output's last result has the same id as that result; nil if the record isn't in this block.
    var matchesLastResult: Bool?
    /// The line of a record with an unclosed quotation mark.
    var unclosedLine: Int?
    /// Names of members without a meaning, a limited number.
    private(set) var unknownMembers: Set<String> = []

    init(end: Int) { self.end = end }

    /// Adds the result for a record, and its text.
    mutating func add(_ result: BatchResult, for record: BatchRecord, text: [UInt8]) {
        switch result.verdict {
        case .valid: tally.valid += 1
        case .invalid: tally.invalid += 1
        case .error: tally.errors += 1
        }
        if result.verdict != .error {
            if record.expectations.bundleIdentifier == .anyBundle { tally.withoutBundleIdentifier += 1 }
            if record.expectations.environments == .anyEnvironment { tally.withoutEnvironment += 1 }
        }
        if record.id != .null { tally.withID += 1 }
        if let failure = result.failure { tally.codes[failure.code, default: 0] += 1 }
        self.text.append(contentsOf: text)
    }

    mutating func add(unknownMembers names: [String]) {
        for name in names where unknownMembers.count <= UnknownMembers.maxNames { unknownMembers.insert(name) }
    }
}
