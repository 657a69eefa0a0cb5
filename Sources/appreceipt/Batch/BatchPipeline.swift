import AppReceiptKit
import AppReceiptSupport
import Dispatch

/// Reads blocks of records, validates them on all threads, and writes the results in the order of the records.
///
/// The number of blocks in memory is bounded, however long the input is.
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
    /// One permit for each block of the usual size that may be in memory. A larger block takes several.
    private let permits: DispatchSemaphore
    private var maxBlocks: Int { jobs * 4 }

    private struct Input: Sendable {
        var records: RecordReader
        var blockCount = 0
        var end: End?
    }

    private struct Output: Sendable {
        let writer: ResultWriter
        var progress: BatchProgress
        var unknownMembers = UnknownMembers()
        /// Results that wait for those of earlier blocks.
        var pending: [Int: (results: BatchBlockResults, permits: Int)] = [:]
        var written = 0
        var tally = BatchTally()
        var failure: String?
        /// Whether the input contains the record of the output's last result. Until it is found, nothing is written.
        var matchesLastResult: Bool
    }

    init(records: RecordReader, writer: ResultWriter, validator: BatchValidator, progress: BatchProgress, jobs: Int) {
        input = LockedValueBox(Input(records: records))
        output = LockedValueBox(Output(writer: writer, progress: progress, matchesLastResult: writer.last == nil))
        self.validator = validator
        self.jobs = jobs
        format = records.format
        columns = records.columns
        last = writer.last
        permits = DispatchSemaphore(value: jobs * 4)
    }

    var tally: BatchTally { output.withLock { $0.tally } }

    /// Runs until the input ends or can't be read, or the output can't be written.
    func run() -> End {
        if let failure = output.withLock({ $0.writer.writeHeader() }) { return .unwritable(failure) }
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let (number, block, permits) = next() {
                let results = validator.results(for: block, format: format, columns: columns, after: last)
                deliver(results, number, permits)
                if let line = results.unclosedLine { stop(unclosedLine: line) }
            }
        }
        if let last, !output.withLock({ $0.matchesLastResult }) {
            // The record of the last result wasn't reached, or is another one.
            if case .unreadable(let reason) = input.withLock({ $0.end }) { return .unreadable(reason) }
            return .outputMismatch(line: last.line)
        }
        let end = input.withLock { $0.end ?? .finished }
        let failure = output.withLock { output in output.failure ?? output.writer.finish() }
        return failure.map { .unwritable($0) } ?? end
    }

    /// Stops reading, because the rest of the input belongs to one record.
    ///
    /// Called only after delivery: a thread may wait for permits while it has the input's lock.
    private func stop(unclosedLine line: Int) {
        input.withLock {
            $0.end = .unreadable(
                "A quotation mark in the record on line \(line) isn't closed. The rest of the input was not read."
            )
        }
    }

    /// Reads the next block.
    ///
    /// - Returns: Its number, the block, and the permits that it takes.
    private func next() -> (Int, RecordReader.Block, Int)? {
        input.withLock { input -> (Int, RecordReader.Block, Int)? in
            guard input.end == nil else { return nil }
            do throws(ByteSource.Failure) {
                guard let block = try input.records.next() else {
                    input.end = .finished
                    return nil
                }
                input.blockCount += 1
                // Can't deadlock: permits are returned without this lock, and no other code waits for them.
                let count = min(maxBlocks, 1 + block.bytes.count / (2 * RecordReader.blockBytes))
                for _ in 0..<count { permits.wait() }
                return (input.blockCount - 1, block, count)
            } catch {
                input.end = .unreadable(error.reason)
                return nil
            }
        }
    }

    /// Writes results, or keeps them until the results of earlier blocks are written.
    private func deliver(_ results: BatchBlockResults, _ number: Int, _ count: Int) {
        let (released, hasFailed) = output.withLock { output -> (Int, Bool) in
            output.pending[number] = (results, count)
            var released = 0
            while let next = output.pending.removeValue(forKey: output.written) {
                output.written += 1
                released += next.permits
                if let matches = next.results.matchesLastResult {
                    output.matchesLastResult = matches
                    if matches, validator.resultFormat.hasProducts {
                        output.failure = output.failure ?? output.writer.removeLastRecord()
                    }
                }
                if !output.matchesLastResult, !next.results.text.isEmpty { output.failure = output.failure ?? "" }
                guard output.failure == nil else { continue }
                output.failure = output.writer.write(next.results.text)
                if output.failure == nil { output.tally += next.results.tally }
                if let note = output.unknownMembers.note(next.results.unknownMembers) { output.progress.note(note) }
                output.progress.update(output.tally, position: next.results.end)
            }
            return (released, output.failure != nil)
        }
        for _ in 0..<released { permits.signal() }
        if hasFailed { input.withLock { $0.end = $0.end ?? .finished } }
    }
}
