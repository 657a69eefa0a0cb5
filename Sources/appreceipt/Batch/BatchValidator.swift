import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Validates records. Shared by all threads.
struct BatchValidator: Sendable {
    let verifier: ReceiptVerifier
    /// The expectations of the command's options. A record can narrow them.
    let expected: Expectations
    /// Whether the receipt's contents are part of the result.
    let includesReceipts: Bool

    private static let tooLong = BatchRecord.Malformed(
        code: "line-too-long",
        message: "The record is longer than the limit of \(RecordReader.maxRecordBytes) bytes.")

    /// The results for the records of a block.
    ///
    /// - Parameter last: The last result in the output. Records up to its line are skipped.
    func results(
        for block: RecordReader.Block, format: RecordFormat, columns: [String], after last: ResultWriter.LastResult?
    ) -> BatchBlockResults {
        var results = BatchBlockResults()
        let now = Date()
        /// Skips the record if the output contains its result, otherwise validates it.
        func process(_ record: BatchRecord, _ malformed: BatchRecord.Malformed?, line: Int) {
            if let last, line <= last.line {
                if line == last.line { results.matchesLastResult = record.id == last.id }
                results.tally.skipped += 1
                return
            }
            results.add(result(for: record, malformed, now, &results.tally), line: line, id: record.id)
        }
        guard !block.isTooLong else {
            process(BatchRecord.read(json: [], expected: expected).record, Self.tooLong, line: block.firstLine)
            return results
        }
        switch format {
        case .ndjson:
            let bytes: ArraySlice<UInt8> = block.bytes
            let span = bytes.span
            var position = 0
            var line = block.firstLine
            while position < span.count {
                let end = span.firstIndex(of: UInt8(ascii: "\n"), in: position..<span.count) ?? span.count
                let text = bytes.part(position..<end)
                // Lines before the last result are only counted, not parsed.
                if !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
                    if let last, line < last.line {
                        results.tally.skipped += 1
                    } else {
                        let (record, malformed) = BatchRecord.read(json: text, expected: expected)
                        let tooLong = text.count > RecordReader.maxRecordBytes ? Self.tooLong : nil
                        process(record, tooLong ?? malformed, line: line)
                    }
                }
                position = end + 1
                line += 1
            }
        case .csv:
            var records = CSVRecords(block.bytes, firstLine: block.firstLine)
            while let next = records.next(maxFields: columns.count) {
                if next.isUnclosed { results.unclosedLine = next.line }
                let (record, malformed) = BatchRecord.read(csv: next, columns: columns, expected: expected)
                process(record, malformed, line: next.line)
            }
        }
        return results
    }

    private func result(
        for record: BatchRecord, _ malformed: BatchRecord.Malformed?, _ now: Date, _ tally: inout BatchTally
    ) -> BatchResult {
        if let malformed {
            return BatchResult(
                verdict: .error, failure: BatchResult.Failure(code: malformed.code, message: malformed.message))
        }
        let bytes: ArraySlice<UInt8>
        do throws(ReceiptError) {
            bytes = try contents(of: record)
        } catch {
            return BatchResult(
                verdict: .error,
                failure: BatchResult.Failure(
                    code: error.code.rawValue, message: error.message,
                    remedy: CommandLineRemedies.remedies(for: error.code.rawValue, error.remedy).joined(separator: " "))
            )
        }
        if record.expectations.bundleIdentifier == .anyBundle { tally.withoutBundleIdentifier += 1 }
        if record.expectations.environments == .anyEnvironment { tally.withoutEnvironment += 1 }
        return validate(bytes, expecting: record.expectations, now)
    }

    private func contents(of record: BatchRecord) throws(ReceiptError) -> ArraySlice<UInt8> {
        if let receipt = record.receipt { return receipt }
        // Only regular files: a record that names a pipe or device would block the whole run.
        return try ReceiptFile.contents(atPath: record.path ?? "", limits: verifier.limits)[...]
    }

    private func validate(_ bytes: ArraySlice<UInt8>, expecting expectations: Expectations, _ now: Date) -> BatchResult
    {
        switch verifier.verifyOrReport(bytes, expecting: expectations, now: now) {
        case .verified(let verified):
            return BatchResult(
                verdict: .valid, environment: verified.environment, receipt: json(verified.receipt))
        case .failed(let report):
            let failure = report.firstFailure
            return BatchResult(
                verdict: .invalid, environment: report.provenEnvironment,
                failure: BatchResult.Failure(
                    check: failure?.check.rawValue, code: failure?.code ?? "", message: failure?.message ?? "",
                    remedy: failure?.remedy.map {
                        CommandLineRemedies.remedies(for: failure?.code ?? "", $0).joined(separator: " ")
                    }),
                receipt: json(report.receipt))
        }
    }

    /// The receipt's contents for the result; nil if they aren't requested.
    private func json(_ receipt: AppReceipt?) -> JSONValue? {
        guard includesReceipts else { return nil }
        return receipt.flatMap { try? JSONOutput.value($0) } ?? .null
    }
}
