#if Server
import Foundation
import Testing

/// A database in a folder, filled from lines of an export.
private struct StateBench {
    let files: TemporaryFolder
    let database: String

    init() throws {
        files = try TemporaryFolder()
        database = files.url("state.sqlite").path
    }

    /// Runs a command on the database. What verifies trusts the roots of the test data.
    func run(_ command: String, _ arguments: String..., trusts: Bool = false) throws -> CommandLineTool {
        let roots = trusts ? ["--root", files.url("signed-data-root.pem").path] : []
        return try CommandLineTool.run(["state", command] + arguments + ["--database", database] + roots)
    }

    /// The line of a transaction that is made.
    ///
    /// - Parameters:
    ///   - identifier: The transaction, which is an original one.
    ///   - app: Its app.
    ///   - change: Changes the line.
    func transaction(
        _ identifier: String, app: String = "com.example.app", _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> String {
        let name = "\(app)-\(identifier).jws"
        let made = try CommandLineTool.run(
            "make", "transaction", "--out", files.url.path, "--name", name, "--transaction-id", identifier,
            "--bundle-id", app, "--product", "pro", "--purchased", "2024-07-01T00:00:00Z")
        #expect(made.status == 0, "\(made.errors)")
        let token = try String(contentsOf: files.url(name), encoding: .utf8).trimmingCharacters(
            in: .whitespacesAndNewlines)
        var payload = String(token.split(separator: ".")[1]).replacingOccurrences(of: "-", with: "+")
            .replacingOccurrences(of: "_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.count % 4) % 4)
        let json = try #require(Data(base64Encoded: payload))
        let claims = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
        let signed = try #require(claims["signedDate"] as? Int)
        let purchased = try #require(claims["purchaseDate"] as? Int)
        var line: [String: Any] = [
            "kind": "transaction", "app": app, "environment": "production", "original": identifier,
            "identifier": identifier, "token": token, "signed": signed, "received": 1,
            "revoked": 0, "ended": purchased,
        ]
        if claims["environment"] as? String == "Sandbox" { line["environment"] = "sandbox" }
        change(&line)
        return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
    }

    /// Writes an export with these rows.
    func file(_ rows: [String], count: Int? = nil) throws -> String {
        let key = Data(repeating: 1, count: 32).base64EncodedString()
        let header = """
            {"kind": "header", "format": "appreceipt-evidence", "version": 1, "accountKey": "\(key)", \
            "hashesAccounts": false, "lastEvent": 7}
            """
        let lines = [header] + rows + [#"{"kind": "end", "rows": \#(count ?? rows.count)}"#]
        let url = files.url("export.ndjson")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
        return url.path
    }
}

@Suite("appreceipt state")
struct StateTests {
    @Test("migrate --check says what a start would do without creating the file, and migrate does it")
    func migrate() throws {
        let bench = try StateBench()
        let missing = try bench.run("migrate", "--check")
        #expect(missing.status == 1)
        #expect(missing.output.contains("no tables yet"))
        #expect(!FileManager.default.fileExists(atPath: bench.database))
        #expect(try bench.run("stats").status == 66)
        #expect(try bench.run("migrate").output == "Created.\n")
        let current = try bench.run("migrate", "--check")
        #expect(current.status == 0)
        #expect(current.output == "The tables are up to date.\n")
        try Data(repeating: 1, count: 4096).write(to: URL(fileURLWithPath: bench.database))
        let foreign = try bench.run("migrate", "--check")
        #expect(foreign.status == 66)
        #expect(foreign.errors.contains("[not-a-database"))
    }

    @Test("What verifies is imported, counted, verified again, exported and copied; the rest is named by line and code")
    func roundTrip() throws {
        let bench = try StateBench()
        let rows = [
            try bench.transaction("1"), try bench.transaction("2") { $0["signed"] = 5 }, "{",
            try bench.transaction("3"),
        ]
        let file = try bench.file(rows, count: 3)
        let imported = try bench.run("import", file, "--format", "json", trusts: true)
        #expect(imported.status == 1)
        #expect(try imported.json()["stored"] as? [String: Int] == ["transaction": 2])
        #expect(try imported.json()["rejected"] as? [String: Int] == ["row-differs": 1, "row-malformed": 1])
        #expect(imported.errors.contains("line 3: transaction com.example.app"))
        #expect(imported.errors.contains("line 4: row-malformed"))
        let stats = try bench.run("stats", "--format", "json").json()
        #expect((stats["rows"] as? [String: Int])?["transactions"] == 2)
        #expect((stats["events"] as? [String: Any])?["newest"] as? String == "7")
        #expect(try bench.run("stats").output.contains("com.example.app"))

        let again = try bench.run("import", bench.file([rows[0], rows[3]]), "--format", "json", trusts: true)
        #expect(again.status == 0)
        #expect(try again.json()["stored"] as? [String: Int] == [:])

        #expect(try bench.run("verify", trusts: true).output.contains("Every row verifies."))
        let untrusted = try bench.run("verify", "--format", "json")
        #expect(untrusted.status == 1)
        #expect(try untrusted.json()["failed"] as? [String: Int] == ["root-not-trusted": 2])
        let failures = try untrusted.json()["failures"] as? [[String: String]]
        #expect(failures?.first?["row"]?.hasPrefix("com.example.app ") == true)

        let output = bench.files.url("out.ndjson").path
        #expect(try bench.run("export", "--output", output).status == 0)
        let exported = try String(contentsOfFile: output, encoding: .utf8)
        #expect(try bench.run("export").output == exported)
        #expect(try bench.run("export", "--output", output).status == 73)
        #expect(try FileManager.default.attributesOfItem(atPath: output)[.posixPermissions] as? Int == 0o600)
        let copy = bench.files.url("copy.sqlite").path
        #expect(try bench.run("backup", copy).status == 0)
        #expect(try bench.run("backup", copy).status == 73)
        #expect(try CommandLineTool.run("state", "export", "--database", copy).output == exported)
    }

    @Test("What isn't an export, a newer one and an incomplete one are rejected, each with its reason")
    func notAnExport() throws {
        let bench = try StateBench()
        let file = try bench.file([bench.transaction("1")])
        let text = try String(contentsOfFile: file, encoding: .utf8)
        func importing(_ text: String) throws -> CommandLineTool {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            return try bench.run("import", file, trusts: true)
        }
        for other in ["", "{}\n", text.split(separator: "\n")[1] + "\n"] {
            let result = try importing(other)
            #expect(result.status == 64)
            #expect(result.errors.contains("isn't the header of an export"))
        }
        let newer = try importing(text.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 2"))
        #expect(newer.status == 64)
        #expect(newer.errors.contains("newer version"))
        #expect(!FileManager.default.fileExists(atPath: bench.database))
        let cut = try importing(text.split(separator: "\n").dropLast().joined(separator: "\n") + "\n")
        #expect(cut.status == 1)
        #expect(cut.errors.contains("incomplete"))
        #expect(try importing(text).status == 0)
        let hashed = try importing(
            text.replacingOccurrences(of: "\"hashesAccounts\": false", with: "\"hashesAccounts\": true"))
        #expect(hashed.status == 64)
        #expect(hashed.errors.contains("hashes under the key of another database"))
    }

    @Test("A purchase is forgotten by its identifier; several with it are listed, and an unknown one is 1")
    func forget() throws {
        let bench = try StateBench()
        let rows = [try bench.transaction("1"), try bench.transaction("1", app: "com.example.other")]
        let imported = try bench.run("import", bench.file(rows), trusts: true)
        #expect(imported.status == 0, "\(imported.errors)")
        let several = try bench.run("forget", "--purchase", "1", trusts: true)
        #expect(several.status == 64)
        #expect(several.errors.contains("com.example.app sandbox 1, com.example.other sandbox 1"))
        let one = try bench.run("forget", "--purchase", "1", "--bundle-id", "com.example.other", trusts: true)
        #expect(one.status == 0)
        #expect(one.output == "Purchases deleted: 1\n")
        let again = try bench.run("forget", "--purchase", "1", "--bundle-id", "com.example.other", trusts: true)
        #expect(again.status == 1)
        #expect(try bench.run("forget", "--purchase", "1", trusts: true).status == 0)
        #expect(try bench.run("forget", "--account", "nobody", trusts: true).status == 1)
        #expect(try bench.run("forget", trusts: true).status == 64)
    }

    @Test("PostgreSQL's own program copies its database, and a wrong age of notifications is wrong usage")
    func usage() throws {
        let bench = try StateBench()
        let copied = try CommandLineTool.run(
            "state", "backup", "copy", "--database", "postgres://receipts@127.0.0.1/receipts")
        #expect(copied.status == 64)
        #if Postgres
        #expect(copied.errors.contains("pg_dump --format=custom --file=copy"))
        #endif
        #expect(try bench.run("prune", "--notifications-older-than", "0").status == 64)
        #expect(try bench.run("migrate").status == 0)
        let pruned = try bench.run("prune", "--notifications-older-than", "30", "--dry-run")
        #expect(pruned.output == "Notifications that would be deleted: 0\n")
    }
}
#endif
