import AppReceiptKit
import Dispatch

/// Takes blocks of records from the input, answers them on all threads, and writes the answers in the order of the
/// records. However long the input is, only a few blocks are in memory.
final class BatchRun: Sendable {
    enum End {
        case finished
        case unreadable(String)
        case unwritable(String)
    }

    private let input: Locked<Input>
    private let output: Locked<Output>
    private let judge: BatchJudge
    private let format: RecordFormat
    private let columns: [String]
    private let answered: Int
    private let jobs: Int
    /// One for each block that may be in memory.
    private let room: DispatchSemaphore

    private struct Input: Sendable {
        var records: RecordReader
        var taken = 0
        var end: End?
    }

    private struct Output: Sendable {
        let answers: AnswerWriter
        var progress: BatchProgress
        /// Answers that wait for those before them.
        var waiting: [Int: (lines: [UInt8], tally: BatchJudge.Tally)] = [:]
        var written = 0
        var tally = BatchJudge.Tally()
        var failure: String?
    }

    init(records: RecordReader, answers: AnswerWriter, judge: BatchJudge, progress: BatchProgress, jobs: Int) {
        input = Locked(Input(records: records))
        output = Locked(Output(answers: answers, progress: progress))
        self.judge = judge
        self.jobs = jobs
        format = records.format
        columns = records.columns
        answered = answers.answered
        room = DispatchSemaphore(value: jobs * 4)
    }

    var tally: BatchJudge.Tally { output.withLock { $0.tally } }

    /// Runs until the input ends, or nothing can be read or written any more.
    func run() -> End {
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            while let (number, block) = take() {
                deliver(number, judge.answers(block, format: format, columns: columns, after: answered))
            }
        }
        if let failure = output.withLock({ $0.failure }) { return .unwritable(failure) }
        return input.withLock { $0.end } ?? .finished
    }

    /// The next block. Whoever waits for the lock waits for the input, which is read by one at a time.
    private func take() -> (Int, RecordReader.Block)? {
        room.wait()
        let block = input.withLock { input -> (Int, RecordReader.Block)? in
            guard input.end == nil else { return nil }
            do throws(RecordReader.Failure) {
                guard let block = try input.records.next() else {
                    input.end = .finished
                    return nil
                }
                input.taken += 1
                return (input.taken - 1, block)
            } catch {
                input.end = .unreadable(error.reason)
                return nil
            }
        }
        if block == nil { room.signal() }
        return block
    }

    /// Writes answers, or keeps them until those before them are written.
    private func deliver(_ number: Int, _ answers: (lines: [UInt8], tally: BatchJudge.Tally)) {
        let (written, hasFailed) = output.withLock { output -> (Int, Bool) in
            output.waiting[number] = answers
            let before = output.written
            while let next = output.waiting.removeValue(forKey: output.written) {
                output.written += 1
                guard output.failure == nil else { continue }
                output.failure = output.answers.write(next.lines)
                if output.failure == nil { output.tally += next.tally }
            }
            output.progress.show(output.tally)
            return (output.written - before, output.failure != nil)
        }
        if hasFailed { input.withLock { $0.end = $0.end ?? .finished } }
        for _ in 0..<written { room.signal() }
    }
}
