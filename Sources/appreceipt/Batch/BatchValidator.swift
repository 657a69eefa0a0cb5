import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers records. Shared by all threads.
struct BatchValidator: Sendable {
    let verifier: ReceiptVerifier
    /// The expectations of the command's options. A record can narrow them.
    let expected: Expectations
    /// Whether what a receipt says goes into its answer.
    let showsReceipts: Bool

    /// How records were answered.
    struct Tally {
        var valid = 0
        var invalid = 0
        var errors = 0
        /// Not looked at, because there is an answer already.
        var passedOver = 0
        /// Judged without a bundle identifier or an environment to compare.
        var withoutApp = 0
        var withoutEnvironment = 0
        /// How often each code occurred.
        var codes: [String: Int] = [:]

        var answered: Int { valid + invalid + errors }

        static func += (left: inout Tally, right: Tally) {
            left.valid += right.valid
            left.invalid += right.invalid
            left.errors += right.errors
            left.passedOver += right.passedOver
            left.withoutApp += right.withoutApp
            left.withoutEnvironment += right.withoutEnvironment
            left.codes.merge(right.codes, uniquingKeysWith: +)
        }
    }

    private static let tooLong = BatchRecord.Malformed(
        code: "line-too-long",
        message: "The record is longer than \(RecordReader.maxOctetsOfRecord) bytes, which no receipt is.")

    /// What came of a block.
    struct Answers {
        var lines: [UInt8] = []
        var tally = Tally()
        /// Whether the record on the line of the last answer was seen, and is the one that was answered.
        var hasMetLast: Bool?
        /// The line of a record whose quotation mark is never closed.
        var openLine: Int?
    }

    /// The answers to the records of a block that begin after the line of the `last` answer.
    func answers(
        _ block: RecordReader.Block, format: RecordFormat, columns: [String], after last: AnswerWriter.LastAnswer?
    ) -> Answers {
        var lines: [UInt8] = []
        var tally = Tally()
        var hasMetLast: Bool?
        var openLine: Int?
        let answered = last?.line ?? 0
        /// Whether the record is still to be answered.
        func isDue(_ line: Int, _ record: @autoclosure () -> BatchRecord) -> Bool {
            if let last, line == last.line { hasMetLast = record().id == last.id }
            if line <= answered { tally.passedOver += 1 }
            return line > answered
        }
        let now = Date()
        guard !block.isTooLong else {
            let record = BatchRecord.read(json: [], expected: expected).record
            if isDue(block.firstLine, record) {
                answer(record, Self.tooLong, block.firstLine, now, &lines, &tally)
            }
            return Answers(lines: lines, tally: tally, hasMetLast: hasMetLast)
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
                if !text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }),
                    isDue(line, BatchRecord.read(json: text, expected: expected).record)
                {
                    let (record, malformed) = BatchRecord.read(json: text, expected: expected)
                    let tooLong = text.count > RecordReader.maxOctetsOfRecord ? Self.tooLong : nil
                    answer(record, tooLong ?? malformed, line, now, &lines, &tally)
                }
                position = end + 1
                line += 1
            }
        case .csv:
            var records = CSVRecords(block.bytes, firstLine: block.firstLine)
            while let next = records.next(most: columns.count) {
                if next.isOpen { openLine = next.line }
                guard isDue(next.line, BatchRecord.read(csv: next, columns: columns, expected: expected).record) else {
                    continue
                }
                let (record, malformed) = BatchRecord.read(csv: next, columns: columns, expected: expected)
                answer(record, malformed, next.line, now, &lines, &tally)
            }
        }
        return Answers(lines: lines, tally: tally, hasMetLast: hasMetLast, openLine: openLine)
    }

    /// One answer, as a line of JSON.
    private func answer(
        _ record: BatchRecord, _ malformed: BatchRecord.Malformed?, _ line: Int, _ now: Date, _ lines: inout [UInt8],
        _ tally: inout Tally
    ) {
        lines.append(contentsOf: #"{"line":"#.utf8)
        lines.append(contentsOf: String(line).utf8)
        lines.append(contentsOf: #","id":"#.utf8)
        lines.append(contentsOf: record.id)
        lines.append(contentsOf: #","verdict":"#.utf8)
        if let malformed {
            tally.errors += 1
            fail(nil, malformed.code, malformed.message, &lines, &tally)
        } else {
            do throws(ReceiptError) {
                validate(record, try octets(record), now, &lines, &tally)
            } catch {
                // There was no receipt to judge.
                tally.errors += 1
                fail(nil, error.code.rawValue, error.message, &lines, &tally)
            }
        }
        lines.append(contentsOf: "}\n".utf8)
    }

    private func octets(_ record: BatchRecord) throws(ReceiptError) -> ArraySlice<UInt8> {
        if let receipt = record.receipt { return receipt }
        return try ReceiptFile.contents(at: record.path ?? "", limits: verifier.limits)[...]
    }

    private func validate(
        _ record: BatchRecord, _ octets: ArraySlice<UInt8>, _ now: Date, _ lines: inout [UInt8], _ tally: inout Tally
    ) {
        if record.expectations.bundleIdentifier == .anyBundle { tally.withoutApp += 1 }
        if record.expectations.environments == .anyEnvironment { tally.withoutEnvironment += 1 }
        switch verifier.verifyOrReport(octets, expecting: record.expectations, now: now) {
        case .verified(let verified):
            tally.valid += 1
            lines.append(contentsOf: #""valid","environment":"#.utf8)
            append(verified.environment, &lines)
            lines.append(contentsOf: #","failure":null"#.utf8)
            if showsReceipts { append(verified.receipt, &lines) }
        case .failed(let report):
            tally.invalid += 1
            let failure = report.firstFailure
            fail(
                failure?.check.rawValue, failure?.code ?? "", failure?.message ?? "", &lines, &tally,
                verdict: "invalid", environment: report.provenEnvironment)
            if showsReceipts { append(report.receipt, &lines) }
        }
    }

    private func fail(
        _ check: String?, _ code: String, _ message: String, _ lines: inout [UInt8], _ tally: inout Tally,
        verdict: String = "error", environment: ReceiptEnvironment.Base? = nil
    ) {
        tally.codes[code, default: 0] += 1
        JSONText.append(verdict, to: &lines)
        lines.append(contentsOf: #","environment":"#.utf8)
        append(environment, &lines)
        lines.append(contentsOf: #","failure":{"check":"#.utf8)
        if let check { JSONText.append(check, to: &lines) } else { lines.append(contentsOf: "null".utf8) }
        lines.append(contentsOf: #","code":"#.utf8)
        JSONText.append(code, to: &lines)
        lines.append(contentsOf: #","message":"#.utf8)
        JSONText.append(message, to: &lines)
        lines.append(UInt8(ascii: "}"))
    }

    private func append(_ environment: ReceiptEnvironment.Base?, _ lines: inout [UInt8]) {
        guard let environment else { return lines.append(contentsOf: "null".utf8) }
        JSONText.append(environment.rawValue, to: &lines)
    }

    private func append(_ receipt: AppReceipt?, _ lines: inout [UInt8]) {
        lines.append(contentsOf: #","receipt":"#.utf8)
        lines.append(contentsOf: receipt.flatMap { try? JSONOutput.line($0) } ?? Array("null".utf8))
    }
}
