import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// Validates records. Shared by all threads.
struct BatchValidator: Sendable {
    let verifier: ReceiptVerifier
    let signedData: SignedDataVerifier
    /// The expectations of the command's options. A record can narrow them.
    let expected: Expectations
    /// The name of the member with the id.
    var id = "id"
    /// Whether the id in the result is the path of the record.
    var identifiesByPath = false
    /// The format of the results.
    var resultFormat = ResultFormat()
    /// The date to evaluate; nil for the current time.
    var date: Date?
    /// Whether consecutive records with the same id are one customer.
    var groupsByID = false

    private static let tooLong = BatchRecord.Malformed(
        code: "line-too-long",
        message: "The record is longer than the limit of \(RecordReader.maxRecordBytes) bytes.")

    /// Returns the results for the records of a block.
    ///
    /// - Parameter last: The last result in the output. Records up to its line are skipped.
    func results(
        for block: RecordReader.Block, format: RecordFormat, columns: [BatchRecord.Member?],
        after last: ResultWriter.LastResult?
    ) -> BatchBlockResults {
        var results = BatchBlockResults(end: block.end)
        let now = date ?? Date()
        switch format {
        case _ where block.isTooLong:
            let record = BatchRecord(expected: expected)
            add(record, malformed: Self.tooLong, line: block.firstLine, after: last, now: now, to: &results)
        case .ndjson: addLines(of: block, after: last, now: now, to: &results)
        case .csv: addRows(of: block, columns: columns, after: last, now: now, to: &results)
        }
        // The first and last customers may have records in other blocks.
        for customer in results.customers.dropFirst().dropLast() { results.text += text(of: customer) }
        return results
    }

    /// Returns the rows of a customer.
    func text(of customer: BatchCustomer) -> [UInt8] { customer.text(format: resultFormat, at: date) }

    private func addLines(
        of block: RecordReader.Block, after last: ResultWriter.LastResult?, now: Date,
        to results: inout BatchBlockResults
    ) {
        let bytes: ArraySlice<UInt8> = block.bytes
        let span = bytes.span
        var position = 0
        var line = block.firstLine
        while position < span.count {
            let end = span.firstIndex(of: UInt8(ascii: "\n"), in: position..<span.count) ?? span.count
            let text = bytes.part(position..<end)
            defer { (position, line) = (end + 1, line + 1) }
            guard !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { continue }
            // Lines before the last result are only counted, not parsed.
            if let last, line < last.line {
                results.tally.skipped += 1
                continue
            }
            let (record, malformed) = BatchRecord.read(line: text, expected: expected, id: id)
            let tooLong = text.count > RecordReader.maxRecordBytes ? Self.tooLong : nil
            add(record, malformed: tooLong ?? malformed, line: line, after: last, now: now, to: &results)
        }
    }

    private func addRows(
        of block: RecordReader.Block, columns: [BatchRecord.Member?], after last: ResultWriter.LastResult?, now: Date,
        to results: inout BatchBlockResults
    ) {
        var records = CSVRecords(block.bytes, firstLine: block.firstLine)
        while let next = records.next(maxFields: columns.count) {
            if next.isUnclosed { results.unclosedLine = next.line }
            let (record, malformed) = BatchRecord.read(csv: next, columns: columns, expected: expected)
            add(record, malformed: malformed, line: next.line, after: last, now: now, to: &results)
        }
    }

    /// Adds the result for a record, or skips the record if the output contains its result.
    private func add(
        _ record: BatchRecord, malformed: BatchRecord.Malformed?, line: Int, after last: ResultWriter.LastResult?,
        now: Date, to results: inout BatchBlockResults
    ) {
        var record = record
        if identifiesByPath { record.id = record.path.map { .string($0) } ?? .null }
        if let last, line <= last.line {
            let matches = line == last.line && last.id.map { $0 == resultFormat.text(of: record.id) } != false
            if line == last.line { results.matchesLastResult = matches }
            guard matches, resultFormat.hasSeveralRows else {
                results.tally.skipped += 1
                return
            }
        }
        results.add(unknownMembers: record.unknownMembers)
        let result = result(for: record, malformed: malformed, now: now)
        if groupsByID {
            results.add(result, for: record, text: [])
            results.add(result, toCustomerOf: record, line: line)
        } else {
            results.add(result, for: record, text: resultFormat.text(of: result, line: line, id: record.id))
        }
    }

    private func result(
        for record: BatchRecord, malformed: BatchRecord.Malformed?, now: Date
    ) -> BatchResult {
        if let malformed { return BatchResult(malformed) }
        do throws(ReceiptError) {
            return validate(try contents(of: record), of: record, now: now)
        } catch {
            let file = record.path.map { "\($0): " } ?? ""
            return BatchResult(
                verdict: .error,
                failure: BatchResult.Failure(
                    code: error.code.rawValue, message: file + error.message,
                    remedy: CommandLineRemedies.remedies(for: error.code.rawValue, error.remedy).joined(separator: " "))
            )
        }
    }

    private func contents(of record: BatchRecord) throws(ReceiptError) -> ArraySlice<UInt8> {
        if let data = record.data { return data }
        // Only regular files: a record that names a pipe or device would block the whole run.
        return try ReceiptFile.contents(atPath: record.path ?? "", limits: verifier.limits)[...]
    }

    private func validate(_ bytes: ArraySlice<UInt8>, of record: BatchRecord, now: Date) -> BatchResult {
        let input = EvidenceInput(bytes)
        let items = input.items
        guard items.count == 1 else { return BatchResult(.severalItems) }
        guard input.options.isEmpty else { return BatchResult(.nested(input.options)) }
        switch items[0] {
        case .token(let token): return validate(token: token, of: record, now: now)
        case .transactionReceipt(let list):
            let report = verifier.reportTransactionReceipt(list, expecting: record.expectations, now: now)
            var result = result(of: report) { $0.entitlements(at: $1) }
            if case .success(let receipt) = report.result {
                result.bundleIdentifier = receipt.bundleIdentifier
                if resultFormat.hasTransactions { result.transactions = TransactionRow.rows(of: receipt) }
                if groupsByID { result.evidence.transactionReceipts = [receipt] }
            }
            if let receipt = report.contents { result.writeReceipt = { receipt.write(to: &$0, attributes: false) } }
            return result
        case .receipt(let bytes):
            let report = verifier.report(bytes, expecting: record.expectations, now: now)
            if record.isBare, let code = report.failure?.code,
                [.inputEmpty, .inputUnrecognized, .inputJSON].contains(code)
            {
                return BatchResult(.unrecognized)
            }
            var result = result(of: report) { $0.entitlements(at: $1) }
            if case .success(let receipt) = report.result {
                result.bundleIdentifier = receipt.bundleIdentifier
                if resultFormat.hasTransactions { result.transactions = TransactionRow.rows(of: receipt) }
                if groupsByID { result.evidence.receipts = [receipt] }
            }
            if let receipt = report.contents { result.writeReceipt = { receipt.write(to: &$0, attributes: false) } }
            return result
        }
    }

    private func validate(token: String, of record: BatchRecord, now: Date) -> BatchResult {
        // A requested check that is skipped silently would appear to have passed.
        let options = ExpectationOption.ofReceiptsOnly(in: record.expectations)
        guard options.isEmpty else { return BatchResult(.notApplicable(options)) }
        let report = signedData.report(token, expecting: SignedDataExpectations(record.expectations), now: now)
        var result = result(of: report) { $0.entitlements(at: $1) }
        if case .success(let data) = report.result {
            result.bundleIdentifier = data.bundleIdentifier
            result.originalTransactionIdentifier = data.transaction?.original ?? data.renewalInfo?.original
            if resultFormat.hasTransactions { result.transactions = TransactionRow.rows(of: data) }
            if groupsByID { result.evidence.add(data) }
        }
        return result
    }

    /// - Parameter entitlements: The entitlements from verified data at a date.
    private func result<Value, Contents>(
        of report: ValidationReport<Value, Contents>, entitlements: (Value, Date) -> Entitlements?
    ) -> BatchResult {
        var result = BatchResult(verdict: report.isValid ? .valid : .invalid, environment: report.provenEnvironment)
        switch report.result {
        case .failure: result.failure = BatchResult.Failure(report.firstFailure)
        case .success(let value):
            guard resultFormat.hasProducts, !groupsByID else { break }
            result.products = entitlements(value, date ?? report.entitlementDate)?.all ?? []
        }
        return result
    }
}

/// The results for a block of records.
struct BatchBlockResults: Sendable {
    /// The position in the input at which the block ends.
    let end: Int
    /// The results as they are written.
    var text: [UInt8] = []
    var tally = BatchTally()
    /// Whether the record of the output's last result has the same id as that result; nil if the record isn't in this
    /// block.
    var matchesLastResult: Bool?
    /// The line of a record with an unclosed quotation mark.
    var unclosedLine: Int?
    /// The customers in the order of the records, if records are grouped. ``text`` has the results for those between
    /// the first and the last one.
    private(set) var customers: [BatchCustomer] = []
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

    /// Adds the result for a record to its customer: the last one, or a new one.
    mutating func add(_ result: BatchResult, toCustomerOf record: BatchRecord, line: Int) {
        var customer = BatchCustomer(record, line: line)
        if customers.last?.isSame(as: customer.key) == true { customer = customers.removeLast() }
        customer.add(result, line: line)
        customers.append(customer)
    }

    mutating func add(unknownMembers names: [String]) {
        for name in names where unknownMembers.count <= UnknownMembers.maxNames { unknownMembers.insert(name) }
    }
}
