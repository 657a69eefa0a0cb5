import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import AppStoreSignedData

@Suite("SignedDataVerifier")
struct SignedDataVerifierTests {
    @Test("A valid transaction is verified and contains the signed claims")
    func transaction() throws {
        let made = TestTransaction(
            "com.example.plus", transaction: "2000000000000002", original: "2000000000000001",
            at: instant("2024-07-01T12:00:00Z"), until: instant("2024-08-01T12:00:00Z"))
        let verified = try verifier.verifyTransaction(made.signed(), expecting: expectations, now: now)
        #expect(verified.claims.transactionIdentifier == "2000000000000002")
        #expect(verified.claims.originalTransactionIdentifier == "2000000000000001")
        #expect(verified.claims.expirationDate == instant("2024-08-01T12:00:00Z"))
        #expect(verified.claims.members == made.members)
        #expect(verified.signedDate == instant("2024-07-02T15:04:05Z"))
        #expect(verified.environment == .sandbox)
        #expect(!verified.isFromFuture)
        #expect(verified.signerCertificate.commonName == "AppReceiptTesting Signed Data")
    }

    @Test("Renewal information is verified for any expected app")
    func renewalInfo() throws {
        let made = TestRenewalInfo("com.example.plus", original: "1").with { $0.autoRenewStatus = .off }
        var other = expectations
        other.bundleIdentifier = "com.example.other"
        for expected in [expectations, other] {
            let verified = try verifier.verifyRenewalInfo(made.signed(), expecting: expected, now: now)
            #expect(verified.claims.autoRenewStatus == .off)
        }
    }

    @Test("A realtime request is verified for the app's App Store identifier, and isn't renewal information")
    func realtimeRequest() throws {
        let made = TestRealtimeRequest("com.example.plus", original: "7").with { $0.environment = .production }
        var expected = expectations
        expected.environments = [.production]
        expected.appAppleIdentifier = [1_234_567_890]
        let token = try made.signed()
        let verified = try verifier.verifyRealtimeRequest(token, expecting: expected, now: now)
        #expect(verified.claims.originalTransactionIdentifier == "7")
        #expect(verified.claims.productIdentifier == "com.example.plus")
        #expect(verified.claims.userLocale == "en-US")
        #expect(verified.claims.requestIdentifier == UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        #expect(verified.claims.appAppleIdentifier == 1_234_567_890)
        #expect(verified.environment == .production)
        #expect(verified.claims.bundleIdentifier == nil)
        let body = Array("{\"signedPayload\":\"\(token)\"}".utf8)
        #expect(try verifier.verifyRealtimeRequest(body: body, expecting: expected, now: now) == verified)
        let report = verifier.report(token, expecting: expected, now: now)
        #expect(report.isValid)
        #expect(report.kind == .realtimeRequest)
        #expect(report.entitlements == nil)
        #expect(try UnverifiedSignedData(parsing: token).kind == .realtimeRequest)
        #expect(code { try verifier.verifyRenewalInfo(token, expecting: expected, now: now) } == .tokenKindMismatch)
        expected.appAppleIdentifier = [7]
        #expect(
            code { try verifier.verifyRealtimeRequest(token, expecting: expected, now: now) }
                == .appAppleIdentifierMismatch)
        expected.appAppleIdentifier = nil
        #expect(
            code { try verifier.verifyRealtimeRequest(token, expecting: expected, now: now) }
                == .appAppleIdentifierUnspecified)
    }

    @Test("An app transaction is verified with its own member names for environment and date")
    func appTransaction() throws {
        let made = TestAppTransaction().with {
            $0.environment = .production
            $0.appAppleIdentifier = 1_234_567_890
            $0.signedDate = instant("2023-03-01T00:00:00Z")
        }
        var expected = expectations
        expected.environments = [.production]
        let verified = try verifier.verifyAppTransaction(made.signed(), expecting: expected, now: now)
        #expect(verified.signedDate == instant("2023-03-01T00:00:00Z"))
        #expect(verified.environment == .production)
        #expect(verified.claims.originalPlatform == .iOS)
    }

    @Test(
        "Transactions and renewal information don't need an App Store identifier, but app transactions from production do"
    )
    func unspecifiedAppAppleIdentifier() throws {
        let expected = SignedDataExpectations(
            bundleIdentifier: "com.example.app", environments: [.production, .sandbox])
        let transaction = TestTransaction("com.example.plus", transaction: "1").with { $0.environment = .production }
        #expect(
            try verifier.verifyTransaction(transaction.signed(), expecting: expected, now: now).environment
                == .production)
        let renewal = TestRenewalInfo("com.example.plus", original: "1").with { $0.environment = .production }
        #expect(
            try verifier.verifyRenewalInfo(renewal.signed(), expecting: expected, now: now).environment == .production)
        let sandbox = try TestAppTransaction().signed()
        #expect(try verifier.verifyAppTransaction(sandbox, expecting: expected, now: now).environment == .sandbox)
        let production = try TestAppTransaction().with {
            $0.environment = .production
            $0.appAppleIdentifier = 1_234_567_890
        }.signed()
        let error = captured { () throws(ReceiptError) in
            try verifier.verifyAppTransaction(production, expecting: expected, now: now)
        }
        #expect(error?.code == .appAppleIdentifierUnspecified)
        #expect(error?.check == .appAppleIdentifier)
        for (identifier, isAccepted) in [(1_234_567_890, true), (7, false), (nil, false)] as [(UInt64?, Bool)] {
            let expected = SignedDataExpectations(
                bundleIdentifier: "com.example.app", environments: [.production], appAppleIdentifier: identifier)
            #expect(verifier.report(production, expecting: expected, now: now).isValid == isAccepted)
        }
        var any = expected
        any.appAppleIdentifier = .anyApp
        #expect(try verifier.verifyAppTransaction(production, expecting: any, now: now).environment == .production)
    }

    @Test("A notification is verified with the tokens in it")
    func notification() throws {
        let transaction = TestTransaction("com.example.plus", transaction: "2", original: "1", until: now)
        let made = try TestNotification(type: .subscribed, subtype: .initialBuy).with {
            $0.status = .active
            $0.signedTransactionInfo = try transaction.signed()
            $0.signedRenewalInfo = try TestRenewalInfo("com.example.plus", original: "1").signed()
        }
        let verified = try verifier.verifyNotification(made.signed(), expecting: expectations, now: now)
        #expect(verified.claims.notificationType == .subscribed)
        #expect(verified.claims.subtype == .initialBuy)
        #expect(verified.transaction?.claims.transactionIdentifier == "2")
        #expect(verified.renewalInfo?.claims.autoRenewProductIdentifier == "com.example.plus")
        #expect(verified.appTransaction == nil)
        guard case .data(let data) = verified.claims.subject else { return #expect(Bool(false)) }
        #expect(data.status == .active)
        #expect(data.bundleVersion == "1")
    }

    @Test("The body of the App Store server's request is accepted unchanged")
    func notificationBody() throws {
        let token = try TestNotification().signed()
        let body = Array("{\"signedPayload\":\"\(token)\"}".utf8)
        #expect(
            try verifier.verifyNotification(body: body, expecting: expectations, now: now).claims.notificationType
                == .test)
        let escaped = Array(
            " {\"other\":[1],\"signedPayload\":\"\(token.replacingOccurrences(of: ".", with: "\\u002e"))\"}\n".utf8)
        #expect(
            try verifier.verifyNotification(body: escaped, expecting: expectations, now: now).claims.version == "2.0")
    }

    @Test(
        "A body that isn't the App Store server's is rejected",
        arguments: [
            "", "{}", "[]", "{\"signedPayload\":7}", "{\"signedPayload\":\"a\",\"signedPayload\":\"a\"}", "eyJ.e.e",
            "{\"signedPayload\":\"\"}",
        ])
    func wrongBodies(body: String) {
        #expect(
            code { try verifier.verifyNotification(body: Array(body.utf8), expecting: expectations) } == .tokenMalformed
        )
    }

    @Test("Certificates are validated at the date the token was signed, not now")
    func validity() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        // The signer's certificate expires in 2032.
        let later = try verifier.verifyTransaction(token, expecting: expectations, now: instant("2060-01-01T00:00:00Z"))
        #expect(!later.isFromFuture)
        let earlier = try verifier.verifyTransaction(
            token, expecting: expectations, now: instant("2024-07-02T15:04:04Z"))
        #expect(earlier.isFromFuture)
    }

    @Test("A verifier with a cached chain verifies each token")
    func caches() throws {
        let warm = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let certificates = try TestPKI.signedData.certificates()
        func token(_ signed: String, _ change: (inout TestToken) -> Void = { _ in }) throws -> String {
            let members = TestTransaction("com.example.pro", transaction: "1").with { $0.signedDate = instant(signed) }
                .members
            var token = try TestToken(members, certificates: certificates, key: .ellipticSigner)
            change(&token)
            return try token.encoded()
        }
        #expect(
            code {
                try warm.verifyTransaction(
                    token("2024-01-01T00:00:00Z") { $0.key = .foreignSigner }, expecting: expectations)
            } == .signatureInvalid)
        _ = try warm.verifyTransaction(token("2024-01-01T00:00:00Z"), expecting: expectations)
        #expect(
            code { try warm.verifyTransaction(token("2021-01-01T00:00:00Z"), expecting: expectations) }
                == .signerNotYetValid)
        #expect(
            code { try warm.verifyTransaction(token("2033-01-01T00:00:00Z"), expecting: expectations) }
                == .signerExpired)
        #expect(
            code {
                try warm.verifyTransaction(
                    token("2024-01-01T00:00:00Z") { $0.key = .foreignSigner }, expecting: expectations)
            } == .signatureInvalid)
        _ = try warm.verifyTransaction(token("2031-12-31T23:59:59Z"), expecting: expectations)
    }

    @Test("A certificate is valid until the end of its last second")
    func fractions() throws {
        let certificates = try TestPKI.signedData.certificates()
        func code(_ milliseconds: Int64) throws -> ReceiptError.Code? {
            var members = TestTransaction("com.example.pro", transaction: "1").members
            members["signedDate"] = .number(AppStoreJSON.Number(milliseconds))
            let token = try TestToken(members, certificates: certificates, key: .ellipticSigner).encoded()
            let cold = SignedDataVerifier(anchors: try TrustAnchors(der: [certificates[2]]))
            return captured { () throws(ReceiptError) in
                try cold.verifyTransaction(token, expecting: expectations, now: now)
            }?.code
        }
        let last = Int64(TestPKI.signedData.signer.notAfter.timeIntervalSince1970) * 1000
        #expect(try code(last + 500) == nil)
        #expect(try code(last + 1000) == .signerExpired)
    }

    @Test("A token with a flipped bit is rejected")
    func flips() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let bytes = Array(token.utf8)
        for position in stride(from: 0, to: bytes.count, by: 7) {
            for bit in [0, 3, 5] {
                var flipped = bytes
                flipped[position] ^= 1 << bit
                let text = String(decoding: flipped, as: UTF8.self)
                guard text != token, Array(text.utf8) == flipped else { continue }
                #expect(
                    code { try verifier.verifyTransaction(text, expecting: expectations, now: now) } != nil,
                    "\(position) \(bit)")
            }
        }
    }

    @Test("A truncated token is rejected")
    func truncated() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        for length in stride(from: 0, to: token.count, by: 11) {
            #expect(
                code { try verifier.verifyTransaction(String(token.prefix(length)), expecting: expectations, now: now) }
                    != nil)
        }
    }

    @Test("The message for text that isn't a token names the common mistake")
    func hints() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let texts = [
            "\"\(token)\"": "quotation", "\(token)\n": "line break", "Bearer \(token)": "Bearer",
            "{\"signedPayload\":\"\(token)\"}": "JSON", "\u{FEFF}\(token)": "byte order mark", "": "empty",
            Data(try TestReceipt().signed()).base64EncodedString(): "app receipt",
        ]
        for (text, word) in texts {
            let report = verifier.report(text, expecting: expectations, now: now)
            #expect(report.failure?.code == .tokenMalformed)
            #expect(report.failure?.message.contains(word) == true, "\(word)")
        }
    }

    @Test("Verified data contains the token, which can be verified again")
    func keptToken() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let verified = try verifier.verifyTransaction(token, expecting: expectations, now: now)
        #expect(verified.token == token)
        #expect(try verifier.verifyTransaction(verified.token, expecting: expectations, now: now) == verified)
        #expect(verified.description == "VerifiedData(transaction, sandbox)")
    }

    @Test("The report on a body contains the failure of the body or of the notification in it")
    func reportOnBody() throws {
        let good = Array("{\"signedPayload\":\"\(try TestNotification().signed())\"}".utf8)
        #expect(verifier.report(body: good, expecting: expectations, now: now).isValid)
        let wrong = verifier.report(body: Array("{}".utf8), expecting: expectations, now: now)
        #expect(wrong.failure?.code == .tokenMalformed)
        #expect(!wrong.isValid)
        #expect(wrong.checks.map(\.check) == ValidationCheck.signedDataChecks)
        let other = Array("{\"signedPayload\":\"\(try TestTransaction("p", transaction: "1").signed())\"}".utf8)
        #expect(verifier.report(body: other, expecting: expectations, now: now).failure?.code == .tokenKindMismatch)
    }

    @Test("A token signed like Xcode's is verified with the test kit's certificate")
    func likeXcode() throws {
        let token = try TestTransaction("com.example.pro", transaction: "0").with { $0.environment = .xcode }
            .signedLikeXcode()
        let xcode = SignedDataVerifier(xcode: try XcodeTrust(der: [TestPKI.xcodeTokens.der()]))
        var expected = expectations
        expected.environments = [.xcode]
        #expect(try xcode.verifyTransaction(token, expecting: expected, now: now).environment == .xcode)
    }

    @Test("A token signed by Xcode is verified with its certificate and has the environment Xcode")
    func xcode() throws {
        let transaction = TestTransaction("com.example.pro", transaction: "0").with { $0.environment = .xcode }
        let certificate = try TestPKI.xcodeTokens.der()
        var token = try TestToken(transaction.members, signedByXcode: TestPKI.xcodeTokens)
        token.header["x5c"] = .array([.string(Data(certificate).base64EncodedString())])
        let xcode = SignedDataVerifier(xcode: try XcodeTrust(der: [certificate]))
        var expected = expectations
        expected.environments = [.xcode]
        let verified = try xcode.verifyTransaction(token.encoded(), expecting: expected, now: now)
        #expect(verified.environment == .xcode)
        #expect(verified.signerCertificate.role == .xcode)
        #expect(
            code { try verifier.verifyTransaction(token.encoded(), expecting: expected, now: now) } == .xcodeNotTrusted)
    }
}
