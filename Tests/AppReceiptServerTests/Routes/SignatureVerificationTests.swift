#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// What a request carries is verified once, and stored evidence once when it is read. The signatures of a chain are
/// verified once for each server, which remembers valid chains.
@Suite("Signature verifications of a request")
struct SignatureVerificationTests {
    /// The number of verifications and the number of distinct signatures.
    private struct Count: Equatable, ExpressibleByIntegerLiteral {
        let verifications: Int
        let signatures: Int

        init(_ verified: [[UInt8]]) { (verifications, signatures) = (verified.count, Set(verified).count) }

        /// Each of several signatures once.
        init(integerLiteral value: Int) { (verifications, signatures) = (value, value) }
    }

    private static let start = instant("2024-07-01T10:00:00Z")
    private static let end = instant("2024-08-01T10:00:00Z")

    /// A receipt with one period of a subscription.
    private static func receipt(created: Date = start, environment: ReceiptEnvironment = .productionSandbox) throws
        -> [UInt8]
    {
        try TestReceipt().with {
            $0.environment = environment
            $0.creationDate = created
            $0.purchases = [
                TestPurchase(subscription: "com.example.monthly", transaction: "100", from: start, to: end)
            ]
        }.signed()
    }

    private static func transaction(signed: Date = start) throws -> String {
        try TestTransaction("com.example.monthly", transaction: "101", at: start, until: end).with {
            $0.originalTransactionIdentifier = "100"
            $0.signedDate = signed
        }.signed()
    }

    private static func renewal(signed: Date = start) throws -> String {
        try TestRenewalInfo("com.example.monthly", original: "100").with { $0.signedDate = signed }.signed()
    }

    /// A notification with a transaction and renewal information.
    private static func notification(signed: Date = start) throws -> AppStoreJSON {
        let token = try TestNotification(type: .didRenew).with {
            $0.notificationUUID = "00000000-0000-4000-8000-0000000000AA"
            $0.signedDate = signed
            $0.signedTransactionInfo = try transaction(signed: signed)
            $0.signedRenewalInfo = try renewal(signed: signed)
        }.signed()
        return ["signedPayload": .string(token)]
    }

    /// Posts a body, and counts the verifications until the response is complete.
    @available(AppReceiptServer 1.0, *)
    private static func count(
        _ server: TestServer, _ path: String, _ body: [UInt8], type: String = "application/json",
        isSuccess: (ServerResponse) -> Bool = { $0.json["verdict"]?.string == "valid" }
    ) async throws -> Count {
        Count(
            try await VerifiedSignatures.whileAwaiting { () async throws in
                let answer = try await server.post(path, body, headers: ["Content-Type": type])
                let isExpected = isSuccess(answer)
                #expect(isExpected, "\(path): \(answer.text.prefix(300))")
            })
    }

    @available(AppReceiptServer 1.0, *)
    private static func validate(_ server: TestServer, _ receipt: [UInt8]) async throws -> Count {
        try await count(server, "/v1/receipts/validate", receipt, type: "application/octet-stream")
    }

    @available(AppReceiptServer 1.0, *)
    private static func answer(
        _ server: TestServer, _ receipt: [UInt8], _ path: String = "/sandbox/verifyReceipt"
    ) async throws -> Count {
        try await count(server, path, request(receipt)) { $0.receiptStatus == 0 }
    }

    @available(AppReceiptServer 1.0, *)
    private static func verify(_ server: TestServer, _ token: String) async throws -> Count {
        try await count(
            server, "/v1/signed-data/verify", AppStoreJSON.object(["token": .string(token)]).text())
    }

    @available(AppReceiptServer 1.0, *)
    private static func notify(_ server: TestServer, _ notification: AppStoreJSON) async throws -> Count {
        try await count(server, "/v1/notifications?report=true", notification.text()) { $0.json["recorded"] == true }
    }

    @available(AppReceiptServer 1.0, *)
    private static func examine(
        _ server: TestServer, _ members: AppStoreJSON.Object, isValid: Bool = true
    ) async throws -> Count {
        try await count(server, "/v1/inspector/examine", AppStoreJSON.object(members).text()) {
            $0.json["verdict"]?.string == (isValid ? "valid" : "invalid")
        }
    }

    private static func input(_ bytes: [UInt8]) -> AppStoreJSON.Object {
        ["input": .string(Data(bytes).base64EncodedString())]
    }

    @available(AppReceiptServer 1.0, *)
    @Test("verifyReceipt verifies each signature of a receipt once")
    func verifyReceipt() async throws {
        let (sandbox, production) = (try Self.receipt(), try Self.receipt(environment: .production))
        try await TestServer.with { server async throws in
            #expect(try await Self.answer(server, production, "/verifyReceipt") == 3)
        }
        try await TestServer.with { server async throws in
            #expect(try await Self.answer(server, sandbox) == 3)
            // Its chain is known.
            #expect(try await Self.answer(server, production, "/verifyReceipt") == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The route validate verifies each signature of a receipt once, and inspect verifies none")
    func receiptRoutes() async throws {
        let receipt = try Self.receipt()
        try await TestServer.with { server async throws in
            let inspected = try await Self.count(
                server, "/v1/receipts/inspect", receipt, type: "application/octet-stream"
            ) { $0.json["verified"] == false }
            #expect(inspected == 0)
            #expect(try await Self.validate(server, receipt) == 3)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The route for signed data verifies each signature of a token once")
    func signedData() async throws {
        let tokens = [try Self.transaction(), try Self.renewal()]
        for token in tokens {
            try await TestServer.with { server async throws in
                #expect(try await Self.verify(server, token) == 3)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification and the tokens in it are verified once for each request")
    func notifications() async throws {
        let notification = try Self.notification()
        try await TestServer.with { server async throws in
            #expect(try await Self.notify(server, notification) == 5)
            // The report includes stored evidence, which was verified before it was recorded.
            #expect(try await Self.notify(server, notification) == 3)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The inspector verifies each signature once")
    func inspector() async throws {
        let (receipt, token) = (try Self.receipt(), Array(try Self.transaction().utf8))
        try await TestServer.with { server async throws in
            #expect(try await Self.examine(server, Self.input(receipt)) == 3)
            #expect(try await Self.examine(server, Self.input(token)) == 3)
            // All servers share the verifier of the samples, so the chain may be known.
            let sample: AppStoreJSON.Object = ["sample": "subscription-history"]
            _ = try await Self.examine(server, sample)
            #expect(try await Self.examine(server, sample) == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The inspector verifies each signature once if only the samples' root signed the input")
    func untrustedInput() async throws {
        let (receipt, token) = (try Self.receipt(), Array(try Self.transaction().utf8))
        try await TestServer.with {
            $0.anchors = .apple
        } _: { server async throws in
            for bytes in [receipt, token] {
                // The chain of the samples is known afterwards.
                _ = try await Self.examine(server, Self.input(bytes), isValid: false)
                #expect(try await Self.examine(server, Self.input(bytes), isValid: false) == 1)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("What was verified before it was recorded isn't verified again when it is read")
    func storedEvidence() async throws {
        let (notification, older) = (try Self.notification(), try Self.receipt())
        let newer = try Self.receipt(created: Self.start + 3600)
        let posts: [(TestServer, [UInt8]) async throws -> Count] = [
            { try await Self.validate($0, $1) }, { try await Self.answer($0, $1) },
        ]
        for post in posts {
            try await TestServer.with { server async throws in
                #expect(try await Self.notify(server, notification) == 5)
                // The receipt with its chain.
                #expect(try await post(server, older) == 3)
                #expect(try await post(server, newer) == 1)
                // The stored copy of the same receipt isn't read.
                #expect(try await post(server, newer) == 1)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Writing an older token doesn't verify the newer one again that the server recorded")
    func storedNewerToken() async throws {
        let later = Self.start + 3600
        let (older, newer) = (try Self.transaction(), try Self.transaction(signed: later))
        try await TestServer.with { server async throws in
            #expect(try await Self.verify(server, newer) == 3)
            #expect(try await Self.verify(server, older) == 1)
        }
        let (first, second) = (try Self.notification(), try Self.notification(signed: later))
        try await TestServer.with { server async throws in
            #expect(try await Self.notify(server, second) == 5)
            #expect(try await Self.notify(server, first) == 3)
        }
    }
}
#endif
