import AppStoreServerTesting
import Testing

#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation

@testable import appreceipt

@Suite("appreceipt store fake")
struct StoreFakeTests {
    @Test("A fault has an endpoint, a kind and a count")
    @available(AppReceiptServer 1.0, *)
    func faults() throws {
        let date = try #require(ReceiptDate.date(from: "2024-07-02T15:04:05Z"))
        let expected: [(String, FakeAppStoreServer.Endpoint?, FakeAppStoreServer.Fault, Int?)] = [
            ("history:502", .history, .html(status: 502), 1), ("any:503:2", nil, .html(status: 503), 2),
            ("refunds:500:always", .refunds, .empty(status: 500), nil), ("order:429", .order, .rateLimit(nil), 1),
            ("any:429=5:3", nil, .rateLimit(.seconds(5)), 3),
            ("any:429=2024-07-02T15:04:05Z", nil, .rateLimit(.date(date)), 1),
            ("any:429=2024-07-02T15:04:05Z:2", nil, .rateLimit(.date(date)), 2),
            ("statuses:4040010", .statuses, .error(4_040_010), 1), ("any:delay=1.5", nil, .delay(.seconds(1.5)), 1),
            ("any:drip", nil, .drip(.seconds(1)), 1), ("seats:drip=0.5:2", .seats, .drip(.seconds(0.5)), 2),
            ("any:cut", nil, .connectionCut, 1), ("any:cut-midway", nil, .connectionCutMidway, 1),
            ("any:endless", nil, .endlessPages(newRevision: false), 1),
            ("any:endless-new:always", nil, .endlessPages(newRevision: true), nil),
            ("any:forged", nil, .forgedSignature, 1), ("any:foreign", nil, .foreignSigner, 1),
            ("any:other-app=com.example.x:2", nil, .otherApp("com.example.x"), 2),
            ("any:other-environment", nil, .otherEnvironment, 1), ("any:other-transaction", nil, .otherTransaction, 1),
            ("any:oversized=1000", nil, .oversized(bytes: 1000), 1),
            ("any:truncated", nil, .truncatedJSON, 1),
            ("any:no-has-more", nil, .missingHasMore, 1), ("any:unknown-members", nil, .unknownMembers, 1),
            ("any:unknown-values", nil, .unknownValues, 1),
        ]
        for (text, endpoint, fault, count) in expected {
            let argument = try FaultArgument(text)
            #expect(argument.endpoint == endpoint, "\(text)")
            #expect(argument.fault == fault, "\(text)")
            #expect(argument.count == count, "\(text)")
        }
    }

    @Test(
        "Wrong usage ends with 64 and names the expected form",
        arguments: [
            (["--fault", "502"], "endpoint:fault[:count]"), (["--fault", "moon:502"], "isn't an endpoint"),
            (["--fault", "any:moon"], "doesn't contain a fault"), (["--fault", "any:99"], "doesn't contain a fault"),
            (["--fault", "any:delay"], "doesn't contain a fault"),
            (["--fault", "any:cut=1"], "doesn't contain a fault"),
            (["--fault", "any:502:0"], "at least 1"), (["--fault", "any:502:x"], "'x' isn't a count"),
            (["--fault", "any:429=soon"], "2024-07-02T15:04:05Z"),
            (["--port", "65536"], "0 to 65535"), (["--bundle-id", ""], "isn't empty"),
        ] as [([String], String)])
    func usage(_ arguments: [String], _ message: String) throws {
        let result = try CommandLineTool.run(["store", "fake"] + arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(message))
    }

    @Test("Unreadable data ends with 66, and invalid data with 64 and the member")
    func data() throws {
        #expect(try CommandLineTool.run("store", "fake", "--data", "no/such/file").status == 66)
        let folder = try TemporaryFolder()
        let file = folder.url("scenario.json")
        try #"{"customers": 1}"#.write(to: file, atomically: true, encoding: .utf8)
        let result = try CommandLineTool.run("store", "fake", "--data", file.path)
        #expect(result.status == 64)
        #expect(result.errors.contains("customers: Expected a list of objects."))
    }

    @Test("A folder that can't be created ends with 73")
    func folder() throws {
        let result = try CommandLineTool.run("store", "fake", "--out", "/dev/null/x")
        #expect(result.status == 73)
        #expect(result.errors.contains("/dev/null/x"))
    }

    @Test("A key or root that isn't the fake's is never overwritten", arguments: ["key.p8", "root.pem", "root.cer"])
    @available(AppReceiptServer 1.0, *)
    func overwriting(_ name: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.write(name, Array("another".utf8))
        let result = try CommandLineTool.run("store", "fake", "--out", folder.url(".").path)
        #expect(result.status == 73)
        #expect(result.errors.contains(name))
        #expect(try String(contentsOf: folder.url(name), encoding: .utf8) == "another")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url(".").path) == [name])
    }

    @Test("The fake's own files are used again")
    @available(AppReceiptServer 1.0, *)
    func ownFiles() throws {
        let folder = try TemporaryFolder()
        let store = FakeAppStoreServer(bundleIdentifier: "com.example.app")
        for _ in 1...2 { _ = try StoreFakeFiles(store, folder: folder.url("made").path) }
        let key = try String(contentsOf: folder.url("made/key.p8"), encoding: .utf8)
        #expect(try key == store.key.pem)
    }
}
#else
/// Without the trait Server, the command explains how to install it with the trait.
@Suite("appreceipt store fake")
struct StoreFakeTests {
    @Test(
        "Without the server, store fake ends with 64 and explains how to install it", arguments: [[], ["--port", "1"]])
    func withoutTheServer(_ arguments: [String]) throws {
        let result = try CommandLineTool.run(["store", "fake"] + arguments)
        #expect(result.status == 64)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("scripts/install-command.sh --traits Server"))
    }
}
#endif
