import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import ArgumentParser
import Dispatch

/// `appreceipt batch`
struct Batch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validates many receipts and tokens, one per line, and lists what the customers own.",
        discussion: """
            Reads records and writes one line of JSON for each, or rows with --rows or \
            --fields, in the same order, using all cores. Memory use doesn't depend on the \
            length of the input. Gzip is recognized and decompressed. A record is:

              a line with the receipt (base64) or token (JWS) itself,
              a line with a JSON object (NDJSON), or
              a row of CSV with a header.

            Members of objects, or columns:

              receipt, receipt-data, latest_receipt, transactionReceipt, token,
              signedPayload, signedTransactionInfo, signedRenewalInfo,
              signedAppTransactionInfo, jwsRepresentation
                                     the receipt or token; the name has no effect
              path                   instead: the file or .app bundle that contains it,
                                     relative to the working directory
              id                     text or a number, repeated in the result
              \(ExpectationOption.all.map(\.name).joined(separator: ", "))
                                     the expectations, as for validate; several
                                     environments or devices are separated by
                                     spaces, or an array in JSON

            StoreKit 2's JSON without a signature (jsonRepresentation) proves nothing, so
            it isn't accepted (token-unsigned): have the app send jwsRepresentation. Of a
            version 1 notification, only the receipt is used (notification-version-1).

            A record can narrow the options of this command but not widen them. With
            --environment production --environment sandbox, a record may name one of
            the two. With --environment production alone, a record that names the
            sandbox is an error, and so is one with another --bundle-id or version or
            a device that --device-id doesn't name (option-conflict). Versions and
            devices apply to receipts only: with one of them, a token is an error
            (option-not-applicable).

            A record without an option uses the command's; if neither has it, that
            value isn't checked. An empty column of CSV is treated as absent. In JSON, an
            option that is null or empty is an error (line-malformed). Other members
            and columns are ignored and reported on standard error. Empty lines are
            ignored. Case and surrounding spaces of names have no effect, and an
            underscore is a hyphen: bundle_id and Bundle-ID are bundle-id. A result:

              {"line": 7, "id": "42", "verdict": "valid",
               "environment": "production", "failure": null}

            The verdict is "error" if the record was not validated: the line is
            malformed, conflicts with the options, or the file can't be read. With
            --resume, pass the same input and the same options again: the output
            doesn't contain the options, so different ones aren't noticed.

            --rows products writes a row for each product, and --rows transactions one
            for each transaction, with all fields, or those of --fields in its order,
            separated by commas:

              line, id, verdict, environment, bundleIdentifier, check, code, message,
              remedy                 of the result, repeated in each row
              product, kind, isActive, state, since, until, asOf, reason, nextStep,
              willRenew, renewsAs, quantity, refundedPercentage, ownership, commitment,
              items, transaction, originalTransaction
                                     of each product, as in 'appreceipt purchases':
                                     from this receipt or token alone; for renewal
                                     information, only originalTransaction. The names
                                     productIdentifier, transactionIdentifier and
                                     originalTransactionIdentifier are accepted, too
              source, signedDate, product, kind, transaction, originalTransaction,
              purchaseDate, originalPurchaseDate, expirationDate, periodSeconds,
              quantity, price, priceMilliunits, currency, storefront, offerType,
              offerIdentifier, offerDiscountType, offerPeriod, isTrialPeriod,
              transactionReason, revocationDate, revocationReason, revocationType,
              refundedPercentage, isUpgraded, ownership, subscriptionGroupIdentifier,
              webOrderLineItemIdentifier, appAccountToken, notificationType,
              notificationSubtype, notificationUUID, payload
                                     of each transaction: as signed, null if it isn't
                                     there. price is a decimal number in the currency,
                                     such as "9.990", and priceMilliunits the same in
                                     thousandths; receipts contain neither. payload
                                     has all members of the token, or of the purchase
                                     in a receipt

            A record without products or transactions, or that isn't valid, has one row,
            in which their fields are null, or empty in CSV: rows have verified values
            only. What is owned isn't always unlocked: of a consumable, the state is owned
            and isActive is false, because only the app knows whether it was used.

            With --group-by id, consecutive records with the same id are one customer:
            the rows of products come from their receipts and tokens together, for each
            app and environment. A record that isn't valid adds a row with its code. The
            records must be sorted by id; one whose id occurred before ends the run. A
            record without an id is a customer of its own. Memory use depends on the
            records of one customer, at most \(BatchCustomer.maxRecords), and on the number of ids.

            Exit status: 0 if every record has a result, even if receipts are invalid;
            64 wrong usage, 66 unreadable input, 73 or 74 unwritable output.

            Examples:
              A dump with one receipt in base64 per line; what is owned, as a table:
                appreceipt batch receipts.txt --bundle-id com.example.app \\
                  --environment production --output-format csv \\
                  --fields line,verdict,product,kind,isActive,state,until > owned.csv

              A table, exported as CSV with the columns user_id and receipt_data:
                appreceipt batch users.csv --id user_id --bundle-id com.example.app \\
                  --environment production \\
                  --fields id,verdict,code,product,kind,isActive,state

              An archive of notifications, one {"signedPayload": "eyJ…"} per line.
              Interrupt it, and continue with the same command:
                appreceipt batch notifications.jsonl --bundle-id com.example.app \\
                  --environment production --output verdicts.ndjson --resume

              A folder with one receipt in each file, whatever their names:
                (echo path; find receipts -type f | sort | sed 's/"/""/g; s/.*/"&"/') |
                  appreceipt batch - --id path

              Every transaction in an archive, as a table:
                appreceipt batch notifications.jsonl.gz --environment production \\
                  --rows transactions --output-format csv > transactions.csv

              What each customer owns, of whom the table has several receipts:
                appreceipt batch users.csv --id user_id --group-by id \\
                  --fields id,product,isActive,state,until

              Compressed input; only what isn't valid:
                appreceipt batch receipts.txt.gz | grep -v '"valid"'
            """)

    @Argument(
        help: ArgumentHelp("The records: one file, or - for standard input.", valueName: "input"), completion: .file())
    var inputs: [String] = []

    @Option(help: .file("The file for the results, instead of standard output."), completion: .file())
    var output: String?

    @Flag(help: "Skip records that are already in the output.")
    var resume = false

    @Option(help: "The format of the records: ndjson, also for lines without JSON, or csv. (default: detected)")
    var format: RecordFormat?

    @Option(help: ArgumentHelp("The member or column to repeat as id in the result, such as path.", valueName: "name"))
    var id = "id"

    @Option(help: "Write a row for each of the products or transactions. (default with --fields: products)")
    var rows: RowKind?

    @Option(
        help: ArgumentHelp(
            "Write rows with these fields, for example line,verdict,product,kind,isActive,state,until.",
            valueName: "list"),
        transform: ResultField.list)
    var fields: [ResultField]?

    @Option(help: "Combine consecutive records with the same id in rows of products. (value: id)")
    var groupBy: GroupKey?

    @Option(help: "The format of rows: ndjson or csv. (default: ndjson)")
    var outputFormat: RecordFormat?

    @Option(
        help: .date("With rows: the date to evaluate, such as 2024-07-15T00:00:00Z. (default: now)"),
        transform: ArgumentConversion.date)
    var at: Date?

    @Option(help: .number("The number of threads, at most one for each core. (default: one for each core)"))
    var jobs: Int?

    @OptionGroup(title: "Expectations for every record, which a record can narrow")
    var expected: ExpectationOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Flag(help: "Include each receipt's contents, without raw attributes.")
    var receipts = false

    private var input: String { inputs.first ?? "-" }

    /// What a row is about.
    private var rowKind: RowKind { rows ?? .products }

    /// The fields of a row; empty for an object for each record.
    private var rowFields: [ResultField] {
        fields ?? (rows != nil || groupBy != nil ? ResultField.all(of: rowKind) : [])
    }

    func validate() throws {
        guard inputs.count < 2 else {
            throw ValidationError("Pass one file with records. \(RecordReader.waysToPassFiles)")
        }
        if resume, output == nil {
            throw ValidationError("--resume requires --output.")
        }
        try validateRows()
        if id != "path", BatchRecord.Member.names.contains(id) {
            throw ValidationError("--id can't be \(id), which has another meaning.")
        }
        if let jobs, !(1...1024).contains(jobs) { throw ValidationError("--jobs must be between 1 and 1024.") }
    }

    private func validateRows() throws {
        guard !rowFields.isEmpty else {
            guard outputFormat != .csv, at == nil else {
                throw ValidationError("\(at != nil ? "--at" : "--output-format csv") requires --rows or --fields.")
            }
            return
        }
        if receipts { throw ValidationError("--receipts can't be combined with rows (--rows, --fields, --group-by).") }
        if let other = rowFields.first(where: { !$0.isField(of: rowKind) }) {
            let names = ResultField.all(of: rowKind).map(\.rawValue).joined(separator: ", ")
            throw ValidationError(
                "'\(other.rawValue)' is a field of the other kind of --rows, not of \(rowKind.rawValue). Fields: \(names)."
            )
        }
        if resume, !rowFields.contains(.line) {
            throw ValidationError("--resume requires 'line' among the --fields, to find the last record.")
        }
        guard groupBy != nil else { return }
        if rowKind == .transactions {
            throw ValidationError(
                "--group-by combines records into products, not transactions: each row of a transaction has its id.")
        }
        if resume { throw ValidationError("--resume can't be combined with --group-by.") }
        if !rowFields.contains(where: \.isOfProduct) {
            throw ValidationError("--group-by requires a field of products among the --fields, such as product.")
        }
    }

    func run() throws {
        let format = ResultFormat(
            fields: rowFields, rows: rowKind, isCSV: outputFormat == .csv, includesReceipts: receipts)
        let verifiers = try trust.verifiers()
        let (isPath, member) = (id == "path", id == "path" ? "id" : id)
        let validator = BatchValidator(
            verifier: verifiers.receipts, signedData: verifiers.signedData,
            expected: expected.expectations, id: member, identifiesByPath: isPath, resultFormat: format, date: at,
            groupsByID: groupBy != nil)
        let records = try RecordReader(path: input, format: self.format, id: member)
        let writer = try ResultWriter(
            path: output, resumes: resume, format: format, input: records.source.descriptor)
        let progress = BatchProgress(size: records.size)
        let pipeline = BatchPipeline(
            records: records, writer: writer, validator: validator, progress: progress,
            jobs: min(jobs ?? .max, ProcessInfo.processInfo.activeProcessorCount))
        let end = pipeline.run()
        progress.finish(pipeline.tally)
        if id != "id" || groupBy != nil, pipeline.tally.total > 0, pipeline.tally.withID == 0 {
            Terminal.note(
                "No record has a value for --id \(id), so the id of each result is null"
                    + (groupBy != nil ? ", and no records were combined." : "."))
        }
        switch end {
        case .finished: break
        case .outputMismatch(let line):
            Terminal.printError(
                "\(output ?? ""): Can't resume: the output file belongs to another run. Its last result is for line "
                    + "\(line), which is another record in this input."
            )
            throw ExitCode(73)
        case .unreadable(let reason):
            throw InputReader.unreadable(input, because: reason)
        case .unwritable(let reason):
            Terminal.printError("\(output ?? "standard output"): \(reason)")
            throw ExitCode(74)
        }
    }
}

/// What `--group-by` groups records by.
enum GroupKey: String, ExpressibleByArgument, CaseIterable {
    case id
}
