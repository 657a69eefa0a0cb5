#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state import`: adds the contents of another database.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds what 'appreceipt state export' wrote, verified again.",
        discussion: """
            Every signed row is verified before it is stored; one that doesn't verify is rejected, counted and named. \
            Trust the roots that the server trusts. Lines may be in any order, and importing a file again changes \
            nothing. The database is created if necessary; import before its server's first start.

            An empty database gets everything: evidence, accounts, events with their cursors, what waits for webhooks \
            and for the App Store. In a database that has its own, newer evidence wins, a revocation stays, and what was \
            forgotten stays forgotten; events of the file and what waits are left out. A file with hashed accounts is \
            only accepted by an empty database, or a copy of the same one.

            No event is recorded for what is moved. When the server runs, it compares the purchases with what was \
            reported of them, and records what differs.

            Exit status: 0 everything was imported, 1 rows were rejected or the file is incomplete, 64 not an export, or \
            its accounts are hashed, 66 unreadable file or unusable database, 73 the database can't be opened.

            Examples:
              appreceipt state import state.ndjson --database new.sqlite
              appreceipt state import - --database postgres://receipts@db.example.com/receipts <state.ndjson
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @OptionGroup
    var options: StateDatabaseOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.", completion: .list(OutputFormat.allValueStrings))
    var format: OutputFormat = .text

    private static let maxListed = 20

    /// What was read.
    private struct Progress {
        var lines = StateProgress()
        var result = ImportResult()
        var leftOut = 0
        var codes: [String: Int] = [:]
        /// The number of rows that the last line states.
        var expected: Int?

        mutating func reject(_ code: String, line: Int, name: String) {
            codes[code, default: 0] += 1
            guard codes.values.reduce(0, +) <= StateImport.maxListed else { return }
            Terminal.clearProgress()
            Terminal.printError("line \(line): \(name)\(name.isEmpty ? "" : ": ")\(code)")
        }
    }

    func run() async throws {
        var records = try RecordReader(path: file, format: .ndjson)
        var first = try Self.next(&records, of: file)
        let header = first.map { $0.bytes.prefix { $0 != 0x0A } }
        let identity: StoreIdentity
        do throws(TransferFile.Malformed) {
            identity = try TransferFile.identity(in: header.flatMap { try? AppStoreJSON(parsing: $0) }?.object)
        } catch {
            throw UsageError.exit("\(file): \(error.reason)")
        }
        let preparation = try await options.withStore(mustExist: false) { try await $0.prepareImport(of: identity) }
        guard preparation != .otherAccounts else {
            throw UsageError.exit(
                "\(file): Its accounts are hashes under the key of another database, which this one can't compare with "
                    + "its own. Import it into an empty database.")
        }
        var progress = Progress()
        // Opened again, because the key of its accounts may be another one now.
        try await options.withStore(trust) { store in
            while let block = first {
                try await add(block, to: store, isEverything: preparation == .everything, progress: &progress)
                first = try Self.next(&records, of: file)
            }
        }
        progress.lines.finish()
        try report(progress)
    }

    private static func next(_ records: inout RecordReader, of file: String) throws -> RecordReader.Block? {
        do throws(ByteSource.Failure) {
            return try records.next()
        } catch {
            throw InputReader.unreadable(file, because: error.reason)
        }
    }

    /// Imports the lines of a block in one commit.
    private func add(
        _ block: RecordReader.Block, to store: any EvidenceStore, isEverything: Bool, progress: inout Progress
    ) async throws {
        guard !block.isTooLong else { return progress.reject("row-malformed", line: block.firstLine, name: "") }
        var (rows, lines): ([StoredRow], [Int]) = ([], [])
        for (offset, text) in block.bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = block.firstLine + offset
            guard line > 1, !text.isEmpty else { continue }
            let object = (try? AppStoreJSON(parsing: text))?.object
            if let count = object.flatMap({ TransferFile.rowCount(in: $0) }) {
                progress.expected = count
            } else if let row = object.flatMap({ StoredRow(json: $0) }) {
                if isEverything || !row.kind.isServerState {
                    rows.append(row)
                    lines.append(line)
                } else {
                    progress.leftOut += 1
                }
                progress.lines.add(1, of: row.kind)
            } else {
                progress.reject("row-malformed", line: line, name: "")
            }
        }
        guard !rows.isEmpty else { return }
        let result = try await store.insert(rows)
        progress.result.add(result)
        for (index, rejection) in result.rejected.sorted(by: { $0.key < $1.key }) {
            progress.reject(
                rejection.code, line: lines[index], name: "\(rows[index].kind.rawValue) \(rows[index].name)")
        }
    }

    private func report(_ progress: Progress) throws {
        let result = progress.result
        func counts(_ counts: [StoredRow.Kind: Int]) -> [(String, Int)] {
            StoredRow.Kind.allCases.compactMap { kind in counts[kind].map { (kind.rawValue, $0) } }
        }
        let (stored, known) = (counts(result.stored), counts(result.known))
        let codes = progress.codes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let isComplete = progress.expected == progress.lines.count
        if format == .json {
            try JSONOutput.write(json: [
                "stored": AppStoreJSON(counts: stored), "known": AppStoreJSON(counts: known),
                "forgotten": .number(AppStoreJSON.Number(result.forgotten)),
                "leftOut": .number(AppStoreJSON.Number(progress.leftOut)),
                "rejected": AppStoreJSON(counts: codes),
                "isComplete": .boolean(isComplete),
            ])
        } else {
            var table = Table(columns: ["kind", "stored", "known or older"])
            for kind in StoredRow.Kind.allCases where result.stored[kind] != nil || result.known[kind] != nil {
                table.add(
                    [kind.rawValue]
                        + [result.stored[kind], result.known[kind]].map { BatchProgress.grouped($0 ?? 0) })
            }
            try Terminal.write(lines: table.lines(.output))
        }
        if result.forgotten > 0 {
            Terminal.note("\(result.forgotten) rows left out: their purchases were forgotten since.")
        }
        if progress.leftOut > 0 {
            Terminal.note("\(progress.leftOut) rows of events and of what waits left out: the database has its own.")
        }
        for (code, count) in codes {
            Terminal.printError("\(BatchProgress.grouped(count)) rows rejected: \(code)")
        }
        if !isComplete {
            Terminal.printError(
                "\(file): The file is incomplete: its last line is missing or counts other rows. Export again.")
        }
        guard isComplete, progress.codes.isEmpty else { throw ExitCode(1) }
    }
}
#endif
