#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state export`: writes the contents of a database as lines of JSON.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes the contents of a database as lines of JSON, which any engine can import.",
        discussion: """
            With 'appreceipt state import', a server moves to another engine or machine. Stop it first, so that nothing \
            is missing: what is written meanwhile is exported in part.

            The first line is {"kind": "header", "format": "appreceipt-evidence", "version": 1, …}, the last one \
            {"kind": "end", "rows"}. Each line between is a row: its kind and columns, dates in milliseconds since 1970, \
            bytes in base64. Evidence is the signed data; the account and events are as they are stored. The file has \
            the key of hashed accounts, and what customers bought: protect it like the database.

            Exit status: 0 done, 66 no such database, 73 the file exists or can't be created, 74 it can't be written.

            Examples:
              appreceipt state export --database state.sqlite --output state.ndjson
              appreceipt state export --database state.sqlite | \
            appreceipt state import - --database postgres://receipts@db.example.com/receipts
            """)

    @OptionGroup
    var options: StateDatabaseOptions

    @Option(help: .file("The new file, instead of standard output."), completion: .file())
    var output: String?

    func run() async throws {
        try await options.withStore { store in
            let identity = try await store.identity()
            let file = try output.map { try Self.create($0) }
            do {
                try await write(store, identity, to: file ?? STDOUT_FILENO)
                if let file { try synchronize(file) }
            } catch {
                // What isn't complete must not be mistaken for an export.
                if let output { _ = unsafe unlink(output) }
                throw error
            }
        }
    }

    private func write(_ store: any EvidenceStore, _ identity: StoreIdentity, to file: Int32) async throws {
        var progress = StateProgress()
        try send(JSONOutput.line(TransferFile.header(of: identity)), to: file)
        for kind in StoredRow.Kind.allCases {
            try await store.forEachPage(of: kind) { rows in
                try send(rows.flatMap { JSONOutput.line($0.json) }, to: file)
                progress.add(rows.count, of: kind)
            }
        }
        try send(JSONOutput.line(TransferFile.end(rows: progress.count)), to: file)
        progress.finish()
    }

    private func send(_ bytes: [UInt8], to file: Int32) throws {
        guard !Terminal.send(bytes, to: file) else { return }
        let reason = unsafe String(cString: strerror(errno))
        Terminal.clearProgress()
        Terminal.printError("\(output ?? "standard output"): \(reason)")
        throw ExitCode(74)
    }

    /// Creates a file that only its owner can read.
    private static func create(_ path: String) throws -> Int32 {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file < 0 else { return file }
        Terminal.printError("\(path): \(unsafe String(cString: strerror(errno)))")
        throw ExitCode(73)
    }

    private func synchronize(_ file: Int32) throws {
        guard fsync(file) != 0 || close(file) != 0 else { return }
        Terminal.printError("\(output ?? ""): \(unsafe String(cString: strerror(errno)))")
        throw ExitCode(74)
    }
}

/// The first and the last line of an export.
enum TransferFile {
    private static let format = "appreceipt-evidence"
    private static let version = 1

    static func header(of identity: StoreIdentity) -> AppStoreJSON.Object {
        [
            "kind": "header", "format": .string(format), "version": .number(AppStoreJSON.Number(version)),
            "accountKey": .string(Data(identity.accountKey).base64EncodedString()),
            "hashesAccounts": .boolean(identity.hashesAccounts),
            "lastEvent": .number(AppStoreJSON.Number(identity.lastEvent)),
        ]
    }

    /// Why a first line isn't a header.
    struct Malformed: Error {
        let reason: String
    }

    static func identity(in header: AppStoreJSON.Object?) throws(Malformed) -> StoreIdentity {
        guard let header, header["kind"]?.string == "header", header["format"]?.string == format else {
            throw Malformed(
                reason: "The first line isn't the header of an export. Expected a file of 'appreceipt state export'.")
        }
        guard header["version"]?.number?.int64 == Int64(version) else {
            throw Malformed(reason: "A newer version wrote the file. Use that version or a later one.")
        }
        guard let key = header["accountKey"]?.string.flatMap({ Data(base64Encoded: $0) }), key.count == 32,
            let hashes = header["hashesAccounts"]?.boolean, let last = header["lastEvent"]?.number?.int64, last >= 0
        else { throw Malformed(reason: "The header is malformed.") }
        return StoreIdentity(accountKey: Array(key), hashesAccounts: hashes, lastEvent: last)
    }

    static func end(rows: Int) -> AppStoreJSON.Object {
        ["kind": "end", "rows": .number(AppStoreJSON.Number(rows))]
    }

    /// Returns the number of rows that the last line states; nil if it isn't the last line.
    static func rowCount(in line: AppStoreJSON.Object) -> Int? {
        guard line["kind"]?.string == "end" else { return nil }
        return line["rows"]?.number?.int64.flatMap { Int(exactly: $0) }
    }
}
#endif
