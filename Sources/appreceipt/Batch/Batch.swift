import AppReceiptKit
import ArgumentParser
import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Batch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validates many receipts, a line of JSON for each.",
        discussion: """
            Reads NDJSON (an object a line) or CSV (with a header), and writes one
            line of JSON for each record, in the same order, on all cores. However
            long the input is, only a few blocks of it are in memory. Members or
            columns:

              receipt                the receipt in base64, or
              path                   the file or .app bundle that it is in, from
                                     the working directory
              id                     text or a number; comes back in the answer
              bundle-id, app-version, original-app-version, environment, device-id
                                     what the receipt must say, as for validate;
                                     several environments or devices are separated
                                     by spaces, or a list in JSON

            A record narrows the options of this command and never widens them. With
            --environment production --environment sandbox, a record may name one of
            the two. With --environment production alone, a record that names the
            sandbox is an error, and so is one with another --bundle-id or version or
            a device that --device-id does not name (option-conflict).

            An option that a record leaves out is the command's; if neither has it, it
            is not compared. An empty column of CSV counts as left out. In JSON, an
            option that is null or empty is an error (line-malformed). Other members
            and columns are ignored, and so are empty lines. An answer:

              {"line": 7, "id": "42", "verdict": "valid",
               "environment": "production", "failure": null}

            The verdict is "error" if the record was not validated: the line is
            malformed, conflicts with the options, or the file can't be read. With
            --resume, give the same input and the same options again.

            Exit status: 0 if every record was answered, whatever the verdicts;
            64 wrong usage, 66 unreadable input, 73 or 74 the output cannot be
            written.

            Examples:
              appreceipt batch receipts.ndjson --bundle-id com.example.app \\
                --environment production > verdicts.ndjson
              appreceipt batch receipts.csv --bundle-id com.example.app \\
                --output verdicts.ndjson --resume
              zcat receipts.ndjson.gz | appreceipt batch - | grep -v '"valid"'
            """)

    @Argument(help: "The records: a file, or - for standard input.")
    var input = "-"

    @Option(help: ArgumentHelp("Where the answers go, instead of standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Go on where an interrupted run stopped: records that the output has answers to are passed over.")
    var resume = false

    @Option(help: "ndjson or csv; told from the first character unless given.")
    var format: RecordFormat?

    @Option(
        help: ArgumentHelp(
            "How many threads, at most one for each core. Default: one for each core.", valueName: "number"))
    var jobs: Int?

    @OptionGroup(title: "Expected of every receipt; a record can only narrow it")
    var expected: ExpectationOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Flag(help: "Put what each receipt says into its answer too, without raw attributes.")
    var receipts = false

    func validate() throws {
        if resume, output == nil {
            throw ValidationError("--resume needs --output: the answers that are there already.")
        }
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs is between 1 and 1024.") }
    }

    func run() throws {
        let validator = BatchValidator(
            verifier: try trust.verifier(), expected: expected.expectations, showsReceipts: receipts)
        let records = try RecordReader(path: input, format: format)
        let answers = try AnswerWriter(path: output, resumes: resume, input: records.descriptor)
        let progress = BatchProgress()
        let run = BatchRun(
            records: records, answers: answers, validator: validator, progress: progress,
            jobs: min(jobs ?? .max, ProcessInfo.processInfo.activeProcessorCount))
        let end = run.run()
        progress.finish(run.tally)
        switch end {
        case .finished: break
        case .foreign(let line):
            Terminal.complain(
                "\(output ?? ""): its last answer, to line \(line), is to another record than the input has there. Nothing was added to it."
            )
            throw ExitCode(73)
        case .unreadable(let reason):
            Terminal.complain("\(input): \(reason)")
            throw ExitCode(66)
        case .unwritable(let reason):
            Terminal.complain("\(output ?? "standard output"): \(reason)")
            throw ExitCode(74)
        }
    }
}

/// How records are written.
enum RecordFormat: String, ExpressibleByArgument, CaseIterable {
    case ndjson, csv
}
