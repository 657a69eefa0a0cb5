import AppReceiptKit
import AppReceiptSupport
import Dispatch

/// Takes blocks of records from the input, answers them on all threads, and writes the answers in the order of the
/// records. However long the input is, only a few blocks are in memory.
final class BatchRun: Sendable {
    enum End {
        case finished
        /// The output's last answer, to this line, is to another record.
        case foreign(Int)
        case unreadable(String)
        case unwritable(String)
    }

    private let input: LockedValueBox<Input>
    private let output: LockedValueBox<Output>
    private let validator: BatchValidator
    private let format: RecordFormat
    private let columns: [String]
    private let last: AnswerWriter.LastAnswer?
    private let jobs: Int
    /// One for each ordinary block that may be in memory; a larger one takes as many as it has octets for, or all.
    private let room: DispatchSemaphore
    private var maxBlocks: Int { jobs * 4 }

    private struct Input: Sendable {
        var records: RecordReader
        var taken = 0
        var end: End?
    }

    private struct Output: Sendable {
        let answers: AnswerWriter
        var progress: BatchProgress
        /// Answers that wait for those before them.
        var waiting: [Int: (answers: BatchValidator.Answers, blocks: Int)] = [:]
        var written = 0
        var tally = BatchValidator.Tally()
        var failure: String?
        /// Whether the record of the last answer was seen where it must be; before that nothing is written.
        var hasMetLast: Bool
    }

    init(records: RecordReader, answers: AnswerWriter, validator: BatchValidator, progress: BatchProgress, jobs: Int) {
        input = LockedValueBox(Input(records: records))
        output = LockedValueBox(Output(answers: answers, progress: progress, hasMetLast: answers.last == nil))
        self.validator = validator
        self.jobs = jobs
        format = records.format
        columns = records.columns
        last = answers.last
        room = DispatchSemaphore(value: jobs * 4)
    }

    var tally: BatchValidator.Tally { output.withLock { $0.tally } }

    /// Runs until the input ends, or nothing can be read or written any more.
    func run() -> End {
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let (number, block, blocks) = take() {
                let answers = validator.answers(block, format: format, columns: columns, after: last)
                deliver(number, answers, blocks)
                if let line = answers.openLine { note(openLine: line) }
            }
        }
        if let last, !output.withLock({ $0.hasMetLast }) {
            // The input could not be read so far, or has another record there, or none.
            if case .unreadable(let reason) = input.withLock({ $0.end }) { return .unreadable(reason) }
            return .foreign(last.line)
        }
        let end = input.withLock { $0.end ?? .finished }
        let unfinished = output.withLock { output in output.failure ?? output.answers.finish() }
        return unfinished.map { .unwritable($0) } ?? end
    }

    /// Notes that the rest of the input belongs to one record. Only after delivery: who holds the input's lock may wait for
    /// room.
    private func note(openLine line: Int) {
        input.withLock {
            $0.end = .unreadable(
                "a quotation mark in the record on line \(line) is never closed; what follows it was not read as records."
            )
        }
    }

    /// The next block, with its number and how many blocks it counts for. Whoever waits for the lock waits for the input,
    /// which is read by one at a time.
    private func take() -> (Int, RecordReader.Block, Int)? {
        input.withLock { input -> (Int, RecordReader.Block, Int)? in
            guard input.end == nil else { return nil }
            do throws(RecordReader.Failure) {
                guard let block = try input.records.next() else {
                    input.end = .finished
                    return nil
                }
                input.taken += 1
                // Nobody waits for room but here; those who have blocks give it back without this lock.
                let blocks = min(maxBlocks, 1 + block.bytes.count / (2 * RecordReader.octetsOfBlock))
                for _ in 0..<blocks { room.wait() }
                return (input.taken - 1, block, blocks)
            } catch {
                input.end = .unreadable(error.reason)
                return nil
            }
        }
    }

    /// Writes answers, or keeps them until those before them are written.
    private func deliver(_ number: Int, _ answers: BatchValidator.Answers, _ blocks: Int) {
        let (written, hasFailed) = output.withLock { output -> (Int, Bool) in
            output.waiting[number] = (answers, blocks)
            var written = 0
            while let next = output.waiting.removeValue(forKey: output.written) {
                output.written += 1
                written += next.blocks
                if let hasMetLast = next.answers.hasMetLast { output.hasMetLast = hasMetLast }
                if !output.hasMetLast, !next.answers.lines.isEmpty { output.failure = output.failure ?? "" }
                guard output.failure == nil else { continue }
                output.failure = output.answers.write(next.answers.lines)
                if output.failure == nil { output.tally += next.answers.tally }
            }
            output.progress.show(output.tally)
            return (written, output.failure != nil)
        }
        for _ in 0..<written { room.signal() }
        if hasFailed { input.withLock { $0.end = $0.end ?? .finished } }
    }
}
