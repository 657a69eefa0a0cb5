import AppReceiptKit
import ArgumentParser
import Dispatch

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `appreceipt batch`
struct Batch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validates many receipts and writes one line of JSON for each.",
        discussion: """
            Reads NDJSON (one object per line) or CSV (with a header), and writes one
            line of JSON for each record, in the same order, using all cores. Memory
            use doesn't depend on the length of the input. Members or columns:

              receipt                the receipt in base64, or
              path                   the file or .app bundle that contains it,
                                     relative to the working directory
              id                     text or a number, repeated in the result
              bundle-id, app-version, original-app-version, environment, device-id
                                     the expectations, as for validate; several
                                     environments or devices are separated by
                                     spaces, or an array in JSON

            A record can narrow the options of this command but not widen them. With
            --environment production --environment sandbox, a record may name one of
            the two. With --environment production alone, a record that names the
            sandbox is an error, and so is one with another --bundle-id or version or
            a device that --device-id doesn't name (option-conflict).

            A record without an option uses the command's; if neither has it, that
            value isn't checked. An empty column of CSV is treated as absent. In JSON, an
            option that is null or empty is an error (line-malformed). Other members
            and columns are ignored, and so are empty lines. A result:

              {"line": 7, "id": "42", "verdict": "valid",
               "environment": "production", "failure": null}

            The verdict is "error" if the record was not validated: the line is
            malformed, conflicts with the options, or the file can't be read. With
            --resume, pass the same input and the same options again.

            Exit status: 0 if every record has a result, even if receipts are invalid;
            64 wrong usage, 66 unreadable input, 73 or 74 unwritable output.

            Examples:
              appreceipt batch receipts.ndjson --bundle-id com.example.app \\
                --environment production > verdicts.ndjson
              appreceipt batch receipts.csv --bundle-id com.example.app \\
                --output verdicts.ndjson --resume
              zcat receipts.ndjson.gz | appreceipt batch - | grep -v '"valid"'
            """)

    @Argument(help: "The records: a file, or - for standard input.")
    var input = "-"

    @Option(help: ArgumentHelp("The file for the results, instead of standard output.", valueName: "file"))
    var output: String?

    @Flag(help: "Skip records that are already in the output.")
    var resume = false

    @Option(help: "ndjson or csv. (default: detected from the first character)")
    var format: RecordFormat?

    @Option(
        help: ArgumentHelp(
            "The number of threads, at most one for each core. (default: one for each core)", valueName: "number"))
    var jobs: Int?

    @OptionGroup(title: "Expectations for every record, which a record can narrow")
    var expected: ExpectationOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Flag(help: "Include each receipt's contents, without raw attributes.")
    var receipts = false

    func validate() throws {
        if resume, output == nil {
            throw ValidationError("--resume requires --output.")
        }
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs must be between 1 and 1024.") }
    }

    func run() throws {
        let validator = BatchValidator(
            verifier: try trust.verifier(), expected: expected.expectations, includesReceipts: receipts)
        let records = try RecordReader(path: input, format: format)
        let writer = try ResultWriter(path: output, resumes: resume, input: records.source.descriptor)
        let progress = BatchProgress()
        let pipeline = BatchPipeline(
            records: records, writer: writer, validator: validator, progress: progress,
            jobs: min(jobs ?? .max, ProcessInfo.processInfo.activeProcessorCount))
        let end = pipeline.run()
        progress.finish(pipeline.tally)
        switch end {
        case .finished: break
        case .outputMismatch(let line):
            Terminal.printError(
                "\(output ?? ""): Can't resume: the output file belongs to another run. Its last result is for line \(line), which is another record in this input."
            )
            throw ExitCode(73)
        case .unreadable(let reason):
            throw InputReader.unreadable(input, reason)
        case .unwritable(let reason):
            Terminal.printError("\(output ?? "standard output"): \(reason)")
            throw ExitCode(74)
        }
    }
}
