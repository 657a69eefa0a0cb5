#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import ArgumentParser

/// `appreceipt state verify`: verifies every stored row again.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct StateVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies every stored row again, as a server does when it reads it.",
        discussion: """
            Of transactions, renewal information, statuses and receipts: their signatures, their certificates, and \
            whether the columns by which they are found are those of the signed data. Of the rest, which isn't signed, \
            the form. Nothing is changed, and a server may run. Memory use doesn't depend on the size.

            Trust the roots that the server trusts. A row with the code root-not-trusted is signed under another root: \
            it has no effect, and if it is a refund, answers about its purchase fail. Other codes are those of \
            'appreceipt validate', or row-differs: the columns were edited; or row-malformed.

            With --format json: {"verified": {kind: count}, "failed": {code: count}, "failures": [{"kind", "row", \
            "code"}], the first 100}. A row is named by its app, environment and identifiers.

            Exit status: 0 if every row verifies, 1 if not.

            Examples:
              appreceipt state verify --database state.sqlite
              appreceipt state verify --database state.sqlite --root apple --root former-root.pem
            """)

    @OptionGroup
    var options: StateDatabaseOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.", completion: .list(OutputFormat.allValueStrings))
    var format: OutputFormat = .text

    private static let maxListed = 100

    /// What was found.
    private struct Findings {
        var verified: [StoredRow.Kind: Int] = [:]
        var failed: [String: Int] = [:]
        var failures: [(kind: StoredRow.Kind, row: String, code: String)] = []
    }

    func run() async throws {
        let verifiers = try trust.verifiers()
        let verifier = StoredRowVerifier(receipts: verifiers.receipts, signedData: verifiers.signedData)
        let findings = try await options.withStore { store in
            var (progress, findings) = (StateProgress(), Findings())
            for kind in StoredRow.Kind.allCases {
                try await store.forEachPage(of: kind) { rows in
                    for row in rows {
                        guard let rejection = verifier.rejection(of: row) else {
                            findings.verified[kind, default: 0] += 1
                            continue
                        }
                        findings.failed[rejection.code, default: 0] += 1
                        if findings.failures.count < Self.maxListed {
                            findings.failures.append((kind, row.name, rejection.code))
                        }
                    }
                    progress.add(rows.count, of: kind)
                }
            }
            progress.finish()
            return findings
        }
        try write(findings)
        guard findings.failed.isEmpty else { throw ExitCode(1) }
    }

    private func write(_ findings: Findings) throws {
        let verified = StoredRow.Kind.allCases.compactMap { kind in findings.verified[kind].map { (kind.rawValue, $0) }
        }
        let failed = findings.failed.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        if format == .json {
            return try JSONOutput.write(json: [
                "verified": AppStoreJSON(counts: verified), "failed": AppStoreJSON(counts: failed),
                "failures": .array(
                    findings.failures.map {
                        ["kind": .string($0.kind.rawValue), "row": .string($0.row), "code": .string($0.code)]
                    }),
            ])
        }
        var table = Table(columns: ["kind", "verified"])
        for (name, count) in verified { table.add([name, BatchProgress.grouped(count)]) }
        try Terminal.write(lines: verified.isEmpty ? ["The database is empty."] : table.lines(.output))
        guard !failed.isEmpty else { return try Terminal.write("Every row verifies.\n") }
        try Terminal.write(
            lines: findings.failures.map { Terminal.escaped("\($0.kind.rawValue) \($0.row): \($0.code)") })
        for (code, count) in failed {
            Terminal.printError("\(BatchProgress.grouped(count)) rows don't verify: \(code)")
        }
        if findings.failed["root-not-trusted"] != nil {
            Terminal.note(
                "If a server trusts other roots than Apple's, pass its --root. See \(ErrorDocumentation.link(to: "root-not-trusted"))"
            )
        }
    }
}
#endif
