import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The payload: its JSON, the kind of data, and the expectations.

extension SignedDataAttack {
    static let payloads: [SignedDataAttack] = [
        text("not JSON", .tokenPayloadMalformed) { _ in "transaction" },
        text("an array", .tokenPayloadMalformed) { _ in "[1]" },
        text("a string", .tokenPayloadMalformed) { _ in "\"a\"" },
        text("two objects", .tokenPayloadMalformed) { $0 + "{}" },
        text("truncated", .tokenPayloadMalformed) { String($0.dropLast()) },
        text("a trailing comma", .tokenPayloadMalformed) { String($0.dropLast()) + ",}" },
        text("a byte order mark", .tokenPayloadMalformed) { "\u{FEFF}" + $0 },
        text("bundleId twice", .tokenPayloadMalformed) { "{\"bundleId\":\"com.example.other\"," + $0.dropFirst() },
        text("bundleId twice, once in escapes", .tokenPayloadMalformed) {
            String($0.dropLast()) + ",\"\\u0062undleId\":\"com.example.other\"}"
        },
        text("signedDate twice", .tokenPayloadMalformed) { String($0.dropLast()) + ",\"signedDate\":1}" },
        text("a duplicate member in a nested object", .tokenPayloadMalformed) {
            String($0.dropLast()) + ",\"commitmentInfo\":{\"a\":1,\"a\":1}}"
        },
        text("an unpaired surrogate", .tokenPayloadMalformed) { String($0.dropLast()) + ",\"x\":\"\\ud800\"}" },
        text("a control character in a string", .tokenPayloadMalformed) { String($0.dropLast()) + ",\"x\":\"\u{1}\"}" },
        text("a number with leading zeros", .tokenPayloadMalformed) { String($0.dropLast()) + ",\"x\":01}" },
        text("NaN", .tokenPayloadMalformed) { String($0.dropLast()) + ",\"x\":NaN}" },
        token("payload: deeply nested objects", .tokenPayloadMalformed, twin: { $0.payload["x"] = nested(10) }) {
            $0.payload["x"] = nested(400)
        },
        token("payload: arrays nested a hundred thousand levels deep", .tokenPayloadMalformed) {
            $0.payloadText = Array(
                ("{\"x\":" + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}").utf8
            )
        },
        claim("bundleId", 7), claim("bundleId", ["com.example.app"]), claim("environment", true),
        claim("transactionId", 2_000_000_000_000_001), claim("originalTransactionId", [:]), claim("productId", 1),
        claim("expiresDate", "2030-01-01T00:00:00Z"), claim("expiresDate", "1893456000000"), claim("expiresDate", true),
        claim("revocationDate", "0"), claim("purchaseDate", []), claim("isUpgraded", "false"), claim("isUpgraded", 0),
        claim("quantity", "1"), claim("type", 1), claim("signedDate", "1719932645000"),
        SignedDataAttack("signedDate out of range", .tokenClaimMalformed, on: .payload) {
            $0.token = {
                $0.payloadText = Array(
                    "{\"bundleId\":\"com.example.app\",\"environment\":\"Sandbox\",\"transactionId\":\"1\",\"signedDate\":1e300}"
                        .utf8)
            }
        },
        token("no signedDate", .signedDateMissing) { $0.payload["signedDate"] = nil },
        token("a signedDate that is null", .signedDateMissing) { $0.payload["signedDate"] = .null },
        kind(
            "renewal information where a transaction is expected", .transaction,
            TestRenewalInfo("com.example.plus", original: "1").with { $0.overrides = ["bundleId": "com.example.app"] }),
        kind(
            "an app transaction where a transaction is expected", .transaction,
            TestAppTransaction().with { $0.overrides = ["environment": "Sandbox", "signedDate": 1_719_932_645_000] }),
        kind(
            "a notification where a transaction is expected", .transaction,
            TestNotification().with { $0.overrides = ["environment": "Sandbox", "bundleId": "com.example.app"] }),
        kind(
            "a transaction where renewal information is expected", .renewalInfo,
            TestTransaction("com.example.plus", transaction: "1")
        ),
        kind(
            "a transaction where an app transaction is expected", .appTransaction,
            TestTransaction("com.example.plus", transaction: "1")),
        kind(
            "a transaction where a notification is expected", .notification,
            TestTransaction("com.example.plus", transaction: "1")),
        SignedDataAttack(
            "a notification with data and app data", .tokenClaimMalformed, on: .payload,
            given: { notify(&$0, TestNotification()) }
        ) {
            notify(
                &$0,
                TestNotification().with {
                    $0.overrides = ["appData": ["bundleId": "com.example.app", "environment": "Sandbox"]]
                })
        },
        kind(
            "a realtime request where renewal information is expected", .renewalInfo,
            TestRealtimeRequest("com.example.plus", original: "1")),
        kind(
            "a realtime request where a transaction is expected", .transaction,
            TestRealtimeRequest("com.example.plus", original: "1").with {
                $0.overrides = ["bundleId": "com.example.app", "transactionId": "1"]
            }),
        kind(
            "renewal information where a realtime request is expected", .realtimeRequest,
            TestRenewalInfo("com.example.plus", original: "1")),
        SignedDataAttack(
            "more members than the limit", .tokenPayloadMalformed, on: .payload, twin: { many(&$0, 900) }
        ) {
            many(&$0, 2000)
        },
    ]

    private static func text(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (String) -> String
    ) -> SignedDataAttack {
        token("payload: \(name)", code) {
            let text = String(decoding: JSONValue.object($0.payload).text(), as: UTF8.self)
            $0.payloadText = Array(change(text).utf8)
        }
    }

    private static func token(
        _ name: String, _ code: ReceiptError.Code,
        twin: @escaping @Sendable (inout TestJWS) throws -> Void = { _ in },
        _ change: @escaping @Sendable (inout TestJWS) throws -> Void
    ) -> SignedDataAttack {
        SignedDataAttack(
            name, code, on: .payload, twin: { $0.token = { try twin(&$0) } }, { $0.token = { try change(&$0) } })
    }

    /// Creates an attack with a decisive member of the wrong type.
    private static func claim(_ name: String, _ value: JSONValue) -> SignedDataAttack {
        token("\(name) that is \(String(decoding: value.text(), as: UTF8.self))", .tokenClaimMalformed) {
            $0.payload[name] = value
        }
    }

    private static func kind(_ name: String, _ kind: SignedDataKind, _ claims: any TestClaims) -> SignedDataAttack {
        SignedDataAttack(
            name, .tokenKindMismatch, on: .payload,
            given: {
                $0.kind = kind
                switch kind {
                case .transaction: break
                case .renewalInfo: $0.claims = TestRenewalInfo("com.example.plus", original: "1")
                case .appTransaction: $0.claims = TestAppTransaction()
                case .notification: $0.claims = TestNotification()
                case .realtimeRequest: $0.claims = TestRealtimeRequest("com.example.plus", original: "1")
                }
            }, { $0.claims = claims })
    }

    private static func many(_ testCase: inout SignedDataTestCase, _ count: Int) {
        testCase.token = { for number in 0..<count { $0.payload["member\(number)"] = 1 } }
    }

    static func notify(_ testCase: inout SignedDataTestCase, _ notification: TestNotification) {
        testCase.kind = .notification
        testCase.claims = notification
    }

    static let environments: [SignedDataAttack] = [
        xcode("Xcode: no certificate is trusted", .xcodeNotTrusted) { $0.xcode = .disabled },
        xcode("Xcode: another certificate is trusted", .xcodeCertificateMismatch) {
            $0.xcode = try XcodeTrust(certificates: [TestPKI.xcode.der()])
        },
        xcode("Xcode: the certificate is trusted as an anchor, not for Xcode", .xcodeNotTrusted) {
            $0.xcode = .disabled
            $0.anchors = [try xcodeCertificate.get()]
        },
        xcode("Xcode: the environment is production", .tokenCertificateCount, check: .certificateChain) {
            $0.claims = transaction(.production)
        },
        xcode("Xcode: the environment is sandbox", .tokenCertificateCount, check: .certificateChain) {
            $0.claims = transaction(.sandbox)
        },
        xcode("Xcode: the environment is xcode in lowercase", .tokenCertificateCount, check: .certificateChain) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "xcode"))
        },
        xcode("Xcode: the environment is missing", .tokenCertificateCount, check: .certificateChain) {
            let certificate = try xcodeCertificate.get()
            $0.token = {
                $0.header["x5c"] = .array([.string(TestJWS.base64(certificate))])
                $0.payload["environment"] = nil
            }
        },
        xcode("Xcode: production and sandbox are expected", .environmentMismatch) {
            $0.expectations.environments = [.production, .sandbox]
        },
        xcode("Xcode: a signature by another key", .signatureInvalid) {
            $0.token = {
                $0.header["x5c"] = .array([.string(TestJWS.base64(try xcodeCertificate.get()))])
                $0.key = .foreignSigner
            }
        },
        xcode("Xcode: alg none", .tokenSignatureMalformed) {
            $0.token = {
                $0.header["alg"] = "none"
                $0.signature = .bytes([])
            }
        },
        xcode("LocalTesting: alg none", .tokenAlgorithmUnsupported) {
            $0.claims = transaction(.localTesting)
            $0.token = { $0.header["alg"] = "none" }
        },
        xcode("LocalTesting: without certificates", .tokenCertificatesMissing) {
            $0.claims = transaction(.localTesting)
            $0.token = { $0.header["x5c"] = nil }
        },
        xcode("Xcode: signed before the certificate was valid", .signerNotYetValid) {
            $0.claims = transaction(.xcode).with { $0.signedDate = instant("2019-12-31T23:59:59Z") }
        },
        xcode("Xcode: the signer's certificate three times", .signerSelfSigned) {
            $0.token = {
                $0.header["x5c"] = .array(
                    [JSONValue](repeating: .string(TestJWS.base64(try xcodeCertificate.get())), count: 3))
            }
        },
    ]

    /// Signed once, because ECDSA signatures are randomized.
    private static let xcodeCertificate = Result { try TestPKI.xcodeTokens.der() }

    private static func transaction(_ environment: SignedDataEnvironment) -> TestTransaction {
        TestTransaction("com.example.pro", transaction: "0").with { $0.environment = environment }
    }

    /// Creates an attack on data with the environment Xcode that is signed by a trusted certificate.
    private static func xcode(
        _ name: String, _ code: ReceiptError.Code, check: ValidationCheck? = nil,
        _ change: @escaping @Sendable (inout SignedDataTestCase) throws -> Void
    ) -> SignedDataAttack {
        SignedDataAttack(
            name, code, check: check, on: .environment,
            given: { testCase in
                testCase.claims = transaction(.xcode)
                testCase.isSignedByXcode = true
                let certificate = try xcodeCertificate.get()
                testCase.token = { $0.header["x5c"] = .array([.string(TestJWS.base64(certificate))]) }
                testCase.xcode = try XcodeTrust(certificates: [certificate])
                testCase.expectations.environments = .anyEnvironment
            }, change)
    }

    static let expectationAttacks: [SignedDataAttack] = [
        expected("another app", .bundleIdentifierMismatch) {
            $0.claims = transaction(.sandbox).with { $0.bundleIdentifier = "com.example.other" }
        },
        expected("another app whose identifier begins with the expected one", .bundleIdentifierMismatch) {
            $0.claims = transaction(.sandbox).with { $0.bundleIdentifier = "com.example.app2" }
        },
        expected("the app's identifier in another case", .bundleIdentifierMismatch) {
            $0.claims = transaction(.sandbox).with { $0.bundleIdentifier = "com.example.App" }
        },
        expected("no app", .bundleIdentifierMissing) { $0.token = { $0.payload["bundleId"] = nil } },
        expected("an app that is null", .bundleIdentifierMissing) { $0.token = { $0.payload["bundleId"] = .null } },
        expected("sandbox data in production", .environmentMismatch) { $0.expectations.environments = [.production] },
        expected("production data in the sandbox", .environmentMismatch) { $0.claims = transaction(.production) },
        expected("an unknown environment", .environmentUnknown) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "Staging"))
        },
        expected("production in lowercase", .environmentUnknown) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "production"))
            $0.expectations.environments = [.production, .sandbox]
        },
        expected("a receipt's name for the sandbox", .environmentUnknown) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "ProductionSandbox"))
        },
        expected("no environment", .environmentMissing) { $0.token = { $0.payload["environment"] = nil } },
        expected("no environment is accepted", .environmentMismatch) { $0.expectations.environments = [] },
        production("an app transaction with another Apple ID", .appAppleIdentifierMismatch, .appTransaction) {
            $0.claims = TestAppTransaction().with {
                $0.environment = .production; $0.appAppleIdentifier = 1_234_567_891
            }
        },
        production("an app transaction without an Apple ID", .appAppleIdentifierMissing, .appTransaction) {
            $0.claims = TestAppTransaction().with { $0.environment = .production }
        },
        production("a notification with another Apple ID", .appAppleIdentifierMismatch, .notification) {
            $0.claims = TestNotification().with {
                $0.environment = .production; $0.appAppleIdentifier = 7
            }
        },
        production("a notification without an Apple ID", .appAppleIdentifierMissing, .notification) {
            $0.claims = TestNotification().with { $0.environment = .production }
        },
        SignedDataAttack(
            "a notification without a bundle identifier", .bundleIdentifierMissing, on: .expectations,
            given: { notify(&$0, TestNotification()) }
        ) {
            notify(&$0, TestNotification().with { $0.overrides = ["data": ["environment": "Sandbox"]] })
        },
        SignedDataAttack(
            "a notification without data", .bundleIdentifierMissing, on: .expectations,
            given: { notify(&$0, TestNotification()) }
        ) {
            notify(&$0, TestNotification().with { $0.overrides = ["data": .null] })
        },
        SignedDataAttack(
            "an external purchase token of the sandbox in production", .environmentMismatch, on: .expectations,
            given: {
                $0.expectations.environments = [.production]
                notify(&$0, external("00000000-0000"))
            }
        ) { notify(&$0, external("SANDBOX_0000")) },
        appTransaction("an app transaction for another device", .deviceVerificationMismatch) {
            $0.device = (other, nonce)
        },
        appTransaction("an app transaction without device verification", .deviceVerificationMissing) {
            $0.device = nil
        },
        device("signed for another device", .deviceVerificationMismatch) { $0.device = (other, nonce) },
        device("no device verification", .deviceVerificationMissing) { $0.device = nil },
        device("another nonce", .deviceVerificationMismatch) {
            $0.overrides = ["deviceVerificationNonce": .string(other.uuidString)]
        },
        malformedDevice("a nonce without device verification", ["deviceVerification": .null]),
        malformedDevice("a device verification without its nonce", ["deviceVerificationNonce": .null]),
        malformedDevice("a device verification of 47 bytes", ["deviceVerification": .string(base64(47))]),
        malformedDevice("a device verification that isn't base64", ["deviceVerification": "?"]),
        malformedDevice("a device verification that is a number", ["deviceVerification": 7]),
        malformedDevice("a nonce that isn't a UUID", ["deviceVerificationNonce": "7edea87d"]),
        device("another value", .deviceVerificationMismatch) {
            $0.overrides = ["deviceVerification": .string(base64(48))]
        },
    ]

    private static func expected(
        _ name: String, _ code: ReceiptError.Code,
        _ change: @escaping @Sendable (inout SignedDataTestCase) throws -> Void
    ) -> SignedDataAttack {
        SignedDataAttack(name, code, on: .expectations, change)
    }

    private static func production(
        _ name: String, _ code: ReceiptError.Code, _ kind: SignedDataKind,
        _ change: @escaping @Sendable (inout SignedDataTestCase) throws -> Void
    ) -> SignedDataAttack {
        SignedDataAttack(
            name, code, on: .expectations,
            given: { testCase in
                testCase.kind = kind
                testCase.expectations.environments = [.production]
                testCase.claims =
                    kind == .notification
                    ? TestNotification().with {
                        $0.environment = .production; $0.appAppleIdentifier = 1_234_567_890
                    }
                    : TestAppTransaction().with {
                        $0.environment = .production; $0.appAppleIdentifier = 1_234_567_890
                    }
            }, change)
    }

    /// Creates an attack with a malformed device verification where one is required. The twin's expectations require none.
    private static func malformedDevice(_ name: String, _ overrides: [String: JSONValue]) -> SignedDataAttack {
        SignedDataAttack(
            name, .tokenClaimMalformed, check: .deviceVerification, on: .expectations,
            given: {
                $0.claims = TestTransaction("com.example.pro", transaction: "1").with {
                    $0.device = (identifier, nonce)
                    $0.overrides = overrides
                }
            }, { $0.expectations.device = .identifier(identifier) })
    }

    private static func base64(_ count: Int) -> String { TestJWS.base64([UInt8](repeating: 0, count: count)) }

    /// Creates an attack on an app transaction where a device is required.
    private static func appTransaction(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (inout TestAppTransaction) -> Void
    ) -> SignedDataAttack {
        let made = TestAppTransaction().with { $0.device = (identifier, nonce) }
        return SignedDataAttack(
            name, code, on: .expectations,
            given: {
                $0.kind = .appTransaction
                $0.expectations.device = .identifier(identifier)
                $0.claims = made
            }, { $0.claims = made.with { change(&$0) } })
    }

    private static func external(_ identifier: String) -> TestNotification {
        TestNotification(type: .externalPurchaseToken, subtype: .unreported).with {
            $0.overrides = [
                "data": .null,
                "externalPurchaseToken": [
                    "externalPurchaseId": .string(identifier), "bundleId": "com.example.app",
                    "appAppleId": 1_234_567_890, "tokenCreationDate": 1_719_932_645_000,
                ],
            ]
        }
    }
}
