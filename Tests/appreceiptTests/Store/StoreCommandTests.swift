import AppReceiptTesting
import AppStoreServerTesting
import AppStoreSignedData
import Foundation
import Testing

/// The built command. Nothing here sends a request, except to a fake in another process.
@Suite("appreceipt store")
struct StoreCommandTests {
    @available(AppStoreServerAPI 1.0, *)
    private func run(_ arguments: String..., changing change: (inout [String]) -> Void = { _ in }) throws
        -> CommandLineTool
    {
        let bench = try StoreTestBench()
        var options = bench.required
        change(&options)
        return try CommandLineTool.run(["store"] + arguments + options)
    }

    @Test(
        "Wrong usage ends with 64 and names what is expected",
        arguments: [
            (["history"], "either an identifier or --receipt"),
            (["history", "1", "--receipt", "x"], "either an identifier or --receipt"),
            (["history", "-1"], "An identifier has digits only"), (["status", "abc"], "at most 20 digits"),
            (["history", ""], "at most 20 digits"),
            (["refunds", String(repeating: "1", count: 47)], "at most 20 digits"),
            (["extend", "abc", "--days", "1", "--reason", "other"], "at most 20 digits"),
            (
                ["consumption", "1x", "--customer-consented", "--delivery-status", "DELIVERED"],
                "at most 20 digits"
            ),
            (["notifications", "--from", "2026-11-01T00:00:00Z", "--transaction", "abc"], "at most 20 digits"),
            (["offer", "promotional", "--product", "p", "--offer", "o", "--transaction", "abc"], "at most 20 digits"),
            (["history", "1", "--environment", "xcode"], "production"),
            (["extend", "1", "--days", "91", "--reason", "other"], "1 to 90"),
            (["consumption", "1", "--delivery-status", "DELIVERED"], "--customer-consented"),
            (["app-account-token", "1", "--token", "x"], "Expected a UUID"),
            (["notifications", "--from", "yesterday"], "2024-07-02T15:04:05Z"),
        ] as [([String], String)])
    @available(AppStoreServerAPI 1.0, *)
    func usage(_ arguments: [String], _ message: String) throws {
        let result = try CommandLineTool.run(["store"] + arguments + StoreTestBench().required)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains(message), "\(result.errors)")
    }

    @Test("The help of every subcommand has an example and the exit statuses")
    @available(AppStoreServerAPI 1.0, *)
    func help() throws {
        for name in [
            "history", "status", "transaction", "refunds", "order", "notifications", "test-notification", "extend",
            "consumption", "app-transaction", "app-account-token", "offer",
        ] {
            let result = try CommandLineTool.run("store", name, "--help")
            #expect(result.status == 0)
            #expect(result.output.contains("appreceipt store \(name)"), "\(name)")
            #expect(result.output.contains("Exit status"), "\(name)")
        }
    }

    @Test("The key signs a promotional offer, whose token the JSON contains")
    @available(AppStoreServerAPI 1.0, *)
    func promotional() throws {
        let result = try run("offer", "promotional", "--product", "com.example.plus", "--offer", "half")
        #expect(result.status == 0)
        let json = try result.json()
        #expect(json["productId"] as? String == "com.example.plus")
        let payload = try payload(json["compactJWS"] as? String)
        #expect(payload["aud"] as? String == "promotional-offer")
        #expect(payload["offerIdentifier"] as? String == "half")
        #expect(payload["bid"] as? String == "com.example.app")
    }

    @Test("The key signs the eligibility for an introductory offer, in both ways", arguments: [true, false])
    @available(AppStoreServerAPI 1.0, *)
    func introductory(_ isAllowed: Bool) throws {
        let decision = isAllowed ? "--allow" : "--deny"
        let result = try run("offer", "introductory", "--product", "p", "--transaction", "1", decision)
        #expect(result.status == 0)
        let payload = try payload(try result.json()["compactJWS"] as? String)
        #expect(payload["aud"] as? String == "introductory-offer-eligibility")
        #expect(payload["allowIntroductoryOffer"] as? Bool == isAllowed)
    }

    @Test("The key signs a request of the Advanced Commerce API, which must be a JSON object")
    @available(AppStoreServerAPI 1.0, *)
    func advancedCommerce() throws {
        let folder = try TemporaryFolder()
        let good = try folder.write("request.json", Array(#"{"operation":"X"}"#.utf8))
        let payload = try payload(try run("offer", "advanced-commerce", good).json()["compactJWS"] as? String)
        #expect(payload["request"] as? String == Data(#"{"operation":"X"}"#.utf8).base64EncodedString())
        let bad = try run("offer", "advanced-commerce", try folder.write("bad.json", Array("[]".utf8)))
        #expect(bad.status == 64)
        #expect(try run("offer", "advanced-commerce", "no/such/file").status == 66)
    }

    @Test("A key that can't be read ends with 66, and malformed identifiers with 64")
    @available(AppStoreServerAPI 1.0, *)
    func keys() throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("key.txt", Array("no key".utf8))
        for (file, status) in [("no/such/file", 66), (text, 66)] as [(String, Int32)] {
            let result = try run("offer", "promotional", "--product", "p", "--offer", "o") { $0[1] = file }
            #expect(result.status == status)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains(file))
        }
        let junk = try run("offer", "promotional", "--product", "p", "--offer", "o") { $0[1] = text }
        #expect(
            junk.errors.contains("--key \(text): The file doesn't contain a private key (-----BEGIN PRIVATE KEY-----).")
        )
        let issuer = try run("offer", "promotional", "--product", "p", "--offer", "o") { $0[5] = "not-a-uuid" }
        #expect(issuer.status == 64)
        #expect(issuer.errors.contains("above the list of keys"))
        #expect(!issuer.errors.contains(".p8"))
        let swapped = try run("offer", "promotional", "--product", "p", "--offer", "o") {
            ($0[3], $0[5]) = ($0[5], $0[3])
        }
        #expect(swapped.status == 64)
        #expect(swapped.errors.contains("They seem to be swapped."))
    }

    @available(AppStoreServerAPI 1.0, *)
    private func payload(_ token: String?) throws -> [String: Any] {
        let part = try #require(token).split(separator: ".")[1]
        let base64 = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let data = try #require(Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)))
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
    }

    #if Server || canImport(Darwin)
    @Test("An address that isn't https ends with 64, except on this computer")
    @available(AppStoreServerAPI 1.0, *)
    func addresses() throws {
        for address in ["http://api.example.com", "http://10.0.0.1", "example.com", "ftp://localhost"] {
            let result = try run("history", "1", "--base-url", address)
            #expect(result.status == 64)
            #expect(result.errors.contains("appreceipt: --base-url: The URL for production must be https://"))
        }
        let sandbox = try run("history", "1", "--sandbox-base-url", "http://10.0.0.1")
        #expect(sandbox.status == 64)
        #expect(sandbox.errors.contains("appreceipt: --sandbox-base-url: The URL for sandbox must be https://"))
    }
    #endif

    @Test("An unreadable receipt ends with 66, and an invalid one with 1 and its failure, before any request")
    @available(AppStoreServerAPI 1.0, *)
    func receipts() throws {
        #expect(try run("history", "--receipt", "no/such/file").status == 66)
        let forged = try run("history", "--receipt", "Samples/forged.receipt", "--format", "json")
        #expect(forged.status == 1)
        let error = try forged.json()["error"] as? [String: Any]
        #expect(error?["code"] as? String == "root-not-trusted" || error?["code"] as? String == "signature-invalid")
        #expect(error?["message"] as? String != nil)
        #expect(forged.errors.contains("What to do"))
    }

    #if !Server && !canImport(Darwin)
    @Test("Without the server, commands that send requests end with 64 and explain how to install it")
    @available(AppStoreServerAPI 1.0, *)
    func withoutTheServer() throws {
        let result = try run("history", "1")
        #expect(result.status == 64)
        #expect(result.errors.contains("scripts/install-command.sh --traits Server"))
    }
    #endif
}
