import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import ArgumentParser
import Foundation
import Testing

@testable import appreceipt

@Suite("StoreFailure")
struct StoreFailureTests {
    @available(AppStoreServerAPI 1.0, *)
    private func failure(
        _ fault: FakeAppStoreServer.Fault?, _ identifier: String = "2000000000000001"
    ) async throws -> StoreFailure {
        let bench = try StoreTestBench()
        if let fault { bench.store.inject(fault, at: .history, times: nil) }
        let failure = await bench.failure { try await bench.client().history(ofCustomer: identifier).collected() }
        return try #require(failure)
    }

    @Test("The exit status is 69 if the App Store doesn't answer, 1 if it refuses or its answer can't be used")
    @available(AppStoreServerAPI 1.0, *)
    func exitStatus() async throws {
        let cases: [(FakeAppStoreServer.Fault, Int32, String)] = [
            (.connectionCut, 69, "unreachable"), (.connectionCutMidway, 69, "unreachable"),
            (.html(status: 502), 69, "server-error"), (.empty(status: 500), 69, "server-error"),
            (.error(5_000_000), 69, "general-internal"), (.error(5_000_001), 69, "general-internal-retryable"),
            (.error(5_000_999), 69, "unknown-apple-error"), (.rateLimit(nil), 69, "rate-limited"),
            (.rateLimit(.seconds(7200)), 69, "rate-limited"), (.error(4_040_002), 1, "account-not-found-retryable"),
            (.error(4_000_006), 1, "invalid-transaction-id"), (.error(4_990_000), 1, "unknown-apple-error"),
            (.empty(status: 401), 1, "unauthenticated"), (.empty(status: 404), 1, "response-unreadable"),
            (.truncatedJSON, 1, "response-unreadable"), (.oversized(bytes: 5 << 20), 1, "response-too-large"),
            (.endlessPages(newRevision: false), 1, "pages-without-end"),
            (.endlessPages(newRevision: true), 1, "pages-without-end"),
        ]
        for (fault, status, code) in cases {
            let failure = try await failure(fault)
            #expect(failure.exitStatus == status, "\(fault)")
            #expect(failure.code == code, "\(fault)")
        }
    }

    @Test("A key or receipt that can't be read is an error in JSON too")
    @available(AppStoreServerAPI 1.0, *)
    func unreadable() throws {
        let bench = try StoreTestBench()
        var commands = [["--receipt", bench.folder.url("none").path] + bench.required]
        #if Server || canImport(Darwin)
        // Other builds can't send requests, and say so before they read the key.
        commands.append(["1", "--key", bench.folder.url("none").path] + bench.required.dropFirst(2))
        #endif
        for arguments in commands {
            let result = try CommandLineTool.run(["store", "history", "--format", "json"] + arguments)
            #expect(result.status == 66)
            #expect(result.output.contains("\"input-unreadable\""))
        }
    }

    @Test("An identifier that can't be sent is wrong usage")
    @available(AppStoreServerAPI 1.0, *)
    func usage() async throws {
        for identifier in ["", "..", "a/b"] {
            let failure = try await failure(nil, identifier)
            #expect(failure.exitStatus == 64)
            #expect(failure.code == "request-invalid")
        }
    }

    @Test("The text names Apple's error, what it means, and what to do")
    @available(AppStoreServerAPI 1.0, *)
    func text() async throws {
        let lines = try await failure(nil, "999").lines
        #expect(
            lines[0].hasPrefix(
                "appreceipt: Apple's error 4040010 TransactionIdNotFound \"Transaction id not found.\": "))
        #expect(lines[0].hasSuffix("[transaction-id-not-found, HTTP 404, production]"))
        #expect(lines[0].contains("The sandbox answered"))
        #expect(Array(lines[1...2]) == ["", "What to do"])
        #expect(lines.last == "  See docs/errors.md#transaction-id-not-found")
        let document = try String(
            contentsOf: CommandLineTool.root.appendingPathComponent("docs/app-store.md"), encoding: .utf8)
        #expect(document.contains((["$ appreceipt store history 999 OPTIONS"] + lines).joined(separator: "\n")))
    }

    @Test("The JSON has the code, Apple's number, the message, the remedy and where it happened")
    @available(AppStoreServerAPI 1.0, *)
    func json() async throws {
        let object = try #require(try await failure(nil, "999").json.object?["error"]?.object)
        #expect(object["code"]?.string == "transaction-id-not-found")
        #expect(object["appleErrorCode"]?.number?.int64 == 4_040_010)
        #expect(object["appleMessage"]?.string == "Transaction id not found.")
        #expect(object["message"]?.string?.hasPrefix("The transaction wasn't found.") == true)
        #expect(object["remedy"]?.string?.hasPrefix("Check the identifier") == true)
        #expect(object["httpStatus"]?.number?.int64 == 404)
        #expect(object["environment"]?.string == "production")
    }

    @Test("The date at which the App Store accepts requests again is shown")
    @available(AppStoreServerAPI 1.0, *)
    func retryDate() async throws {
        let failure = try await failure(.rateLimit(.seconds(7200)))
        #expect(failure.json.object?["error"]?.object?["retryDate"]?.string == "2025-01-01T02:00:00Z")
        #expect(failure.lines.contains { $0.contains("2025-01-01T02:00:00Z") })
    }
}
