import AppReceiptKit
import AppReceiptSupport
import Dispatch

/// Reads blocks of records, validates them on all threads, and writes the results in the order of the records.
///
/// Each thread has one block at a time, so the memory in use is bounded, however long the input is.
final class BatchPipeline: Sendable {
    enum End {
        case finished
        /// The output's last result, for this line, is for another record than the input's.
        case outputMismatch(line: Int)
        case unreadable(String)
        case unwritable(String)
    }

    private let input: LockedValueBox<Input>
    private let output: LockedValueBox<Output>
    private let validator: BatchValidator
    private let format: RecordFormat
    private let columns: [BatchRecord.Member?]
    private let last: ResultWriter.LastResult?
    private let jobs: Int

    private struct Input: Sendable {
        var records: RecordReader
        var end: End?
        /// Signaled once the results of the newest block are written.
        var lastWritten = DispatchSemaphore(value: 0)
    }

    private struct Output: Sendable {
        let writer: ResultWriter
        var progress: BatchProgress
        var unknownMembers = UnknownMembers()
        var tally = BatchTally()
        var failure: String?
        /// The customers so far, if records are grouped.
        var customers = CustomerOrder()
        /// Whether the input contains the record of the output's last result. Until it is found, nothing is written.
        var matchesLastResult: Bool
    }

    /// A block and its turn: its results are written after those of the block before it.
    private struct Work {
        let block: RecordReader.Block
        let previousWritten: DispatchSemaphore
        let written: DispatchSemaphore
    }

    init(records: RecordReader, writer: ResultWriter, validator: BatchValidator, progress: BatchProgress, jobs: Int) {
        input = LockedValueBox(Input(records: records))
        output = LockedValueBox(Output(writer: writer, progress: progress, matchesLastResult: writer.last == nil))
        self.validator = validator
        self.jobs = jobs
        format = records.format
        columns = records.columns
        last = writer.last
        input.withLock { _ = $0.lastWritten.signal() }
    }

    var tally: BatchTally { output.withLock { $0.tally } }

    /// Runs until the input ends or can't be read, or the output can't be written.
    func run() -> End {
        if let failure = output.withLock({ $0.writer.writeHeader() }) { return .unwritable(failure) }
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let work = next() {
                let results = validator.results(for: work.block, format: format, columns: columns, after: last)
                if let line = results.unclosedLine { stop(unclosedLine: line) }
                work.previousWritten.wait()
                write(results)
                work.written.signal()
            }
        }
        if let last, !output.withLock({ $0.matchesLastResult }) {
            // The record of the last result wasn't reached, or is another one.
            if case .unreadable(let reason) = input.withLock({ $0.end }) { return .unreadable(reason) }
            return .outputMismatch(line: last.line)
        }
        let end = input.withLock { $0.end ?? .finished }
        // Otherwise, the last customer may have more records.
        if case .finished = end { writeLastCustomer() }
        let failure = output.withLock { output in output.failure ?? output.writer.finish() }
        return failure.map { .unwritable($0) } ?? end
    }

    /// Stops reading, because the rest of the input belongs to one record.
    private func stop(unclosedLine line: Int) {
        input.withLock {
            $0.end = .unreadable(
                "A quotation mark in the record on line \(line) isn't closed. The rest of the input was not read."
            )
        }
    }

    /// Reads the next block; nil at the end.
    private func next() -> Work? {
        input.withLock { input -> Work? in
            guard input.end == nil else { return nil }
            do throws(ByteSource.Failure) {
                guard let block = try input.records.next() else {
                    input.end = .finished
                    return nil
                }
                let written = DispatchSemaphore(value: 0)
                defer { input.lastWritten = written }
                return Work(block: block, previousWritten: input.lastWritten, written: written)
            } catch {
                input.end = .unreadable(error.reason)
                return nil
            }
        }
    }

    /// Writes the results of a block, unless the output failed before.
    private func write(_ results: BatchBlockResults) {
        var faultyOrder: String?
        let hasFailed = output.withLock { output -> Bool in
            if let matches = results.matchesLastResult {
                output.matchesLastResult = matches
                if matches, validator.resultFormat.hasSeveralRows {
                    output.failure = output.failure ?? output.writer.removeLastRecord()
                }
            }
            if !output.matchesLastResult, !results.text.isEmpty { output.failure = output.failure ?? "" }
            guard output.failure == nil, output.customers.fault == nil else { return true }
            output.failure = output.writer.write(output.customers.text(of: results, by: validator))
            if output.failure == nil { output.tally += results.tally }
            output.tally.customers = output.customers.count
            if let note = output.unknownMembers.note(results.unknownMembers) { output.progress.note(note) }
            output.progress.update(output.tally, position: results.end)
            if let fault = output.customers.fault { faultyOrder = fault }
            return output.failure != nil
        }
        if let faultyOrder { return input.withLock { $0.end = .unreadable(faultyOrder) } }
        if hasFailed { input.withLock { $0.end = $0.end ?? .finished } }
    }

    /// Writes the results for the last customer, whose records end with the input.
    private func writeLastCustomer() {
        output.withLock { output in
            guard output.failure == nil, let text = output.customers.lastText(by: validator) else { return }
            output.failure = output.writer.write(text)
        }
    }
}
