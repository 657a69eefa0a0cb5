import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

// The payload: its JSON, the kind of data, and the expectations.

extension SignedDataAttack {
    static let payloads: [Case] = [
        text("not JSON", code: .tokenPayloadMalformed) { _ in "transaction" },
        text("an array", code: .tokenPayloadMalformed) { _ in "[1]" },
        text("a string", code: .tokenPayloadMalformed) { _ in "\"a\"" },
        text("two objects", code: .tokenPayloadMalformed) { $0 + "{}" },
        text("truncated", code: .tokenPayloadMalformed) { String($0.dropLast()) },
        text("a trailing comma", code: .tokenPayloadMalformed) { String($0.dropLast()) + ",}" },
        text("a byte order mark", code: .tokenPayloadMalformed) { "\u{FEFF}" + $0 },
        text("bundleId twice", code: .tokenPayloadMalformed) {
            "{\"bundleId\":\"com.example.other\"," + $0.dropFirst()
        },
        text("bundleId twice, once in escapes", code: .tokenPayloadMalformed) {
            String($0.dropLast()) + ",\"\\u0062undleId\":\"com.example.other\"}"
        },
        text("signedDate twice", code: .tokenPayloadMalformed) { String($0.dropLast()) + ",\"signedDate\":1}" },
        text("a duplicate member in a nested object", code: .tokenPayloadMalformed) {
            String($0.dropLast()) + ",\"commitmentInfo\":{\"a\":1,\"a\":1}}"
        },
        text("an unpaired surrogate", code: .tokenPayloadMalformed) { String($0.dropLast()) + ",\"x\":\"\\ud800\"}" },
        text("a control character in a string", code: .tokenPayloadMalformed) {
            String($0.dropLast()) + ",\"x\":\"\u{1}\"}"
        },
        text("a number with leading zeros", code: .tokenPayloadMalformed) { String($0.dropLast()) + ",\"x\":01}" },
        text("NaN", code: .tokenPayloadMalformed) { String($0.dropLast()) + ",\"x\":NaN}" },
        token("payload: deeply nested objects", code: .tokenPayloadMalformed, twin: { $0.payload["x"] = nested(10) }) {
            $0.payload["x"] = nested(400)
        },
        token("payload: arrays nested a hundred thousand levels deep", code: .tokenPayloadMalformed) {
            $0.payloadText = Array(
                ("{\"x\":" + String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000) + "}").utf8
            )
        },
        claim("bundleId", value: 7), claim("bundleId", value: ["com.example.app"]), claim("environment", value: true),
        claim("transactionId", value: 2_000_000_000_000_001), claim("originalTransactionId", value: [:]),
        claim("productId", value: 1),
        claim("expiresDate", value: "2030-01-01T00:00:00Z"), claim("expiresDate", value: "1893456000000"),
        claim("expiresDate", value: true),
        claim("revocationDate", value: "0"), claim("purchaseDate", value: []), claim("isUpgraded", value: "false"),
        claim("isUpgraded", value: 0),
        claim("quantity", value: "1"), claim("type", value: 1), claim("signedDate", value: "1719932645000"),
        token("signedDate out of range", code: .tokenClaimMalformed) {
            $0.payloadText = Array(
                "{\"bundleId\":\"com.example.app\",\"environment\":\"Sandbox\",\"transactionId\":\"1\",\"signedDate\":1e300}"
                    .utf8)
        },
        token("no signedDate", code: .signedDateMissing) { $0.payload["signedDate"] = nil },
        token("a signedDate that is null", code: .signedDateMissing) { $0.payload["signedDate"] = .null },
        kind(
            "renewal information where a transaction is expected", expecting: .transaction,
            claims: TestRenewalInfo("com.example.plus", original: "1").with {
                $0.overrides = ["bundleId": "com.example.app"]
            }),
        kind(
            "an app transaction where a transaction is expected", expecting: .transaction,
            claims: TestAppTransaction().with {
                $0.overrides = ["environment": "Sandbox", "signedDate": 1_719_932_645_000]
            }),
        kind(
            "a notification where a transaction is expected", expecting: .transaction,
            claims: TestNotification().with {
                $0.overrides = ["environment": "Sandbox", "bundleId": "com.example.app"]
            }),
        kind(
            "a transaction where renewal information is expected", expecting: .renewalInfo,
            claims: TestTransaction("com.example.plus", transaction: "1")
        ),
        kind(
            "a transaction where an app transaction is expected", expecting: .appTransaction,
            claims: TestTransaction("com.example.plus", transaction: "1")),
        kind(
            "a transaction where a notification is expected", expecting: .notification,
            claims: TestTransaction("com.example.plus", transaction: "1")),
        Case(
            "a notification with data and app data", code: .tokenClaimMalformed,
            given: { notify(&$0, with: TestNotification()) }
        ) {
            notify(
                &$0,
                with: TestNotification().with {
                    $0.overrides = ["appData": ["bundleId": "com.example.app", "environment": "Sandbox"]]
                })
        },
        kind(
            "a realtime request where renewal information is expected", expecting: .renewalInfo,
            claims: TestRealtimeRequest("com.example.plus", original: "1")),
        kind(
            "a realtime request where a transaction is expected", expecting: .transaction,
            claims: TestRealtimeRequest("com.example.plus", original: "1").with {
                $0.overrides = ["bundleId": "com.example.app", "transactionId": "1"]
            }),
        kind(
            "renewal information where a realtime request is expected", expecting: .realtimeRequest,
            claims: TestRenewalInfo("com.example.plus", original: "1")),
        Case(
            "more members than the limit", code: .tokenPayloadMalformed,
            twin: { addMembers(to: &$0, count: 900) }
        ) {
            addMembers(to: &$0, count: 2000)
        },
    ]

    private static func text(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable (String) -> String
    ) -> Case {
        token("payload: \(name)", code: code) {
            let text = String(decoding: AppStoreJSON.object($0.payload).text(), as: UTF8.self)
            $0.payloadText = Array(change(text).utf8)
        }
    }

    /// Creates an attack with a decisive member of the wrong type.
    private static func claim(_ name: String, value: AppStoreJSON) -> Case {
        token("\(name) that is \(String(decoding: value.text(), as: UTF8.self))", code: .tokenClaimMalformed) {
            $0.payload[name] = value
        }
    }

    private static func kind(_ name: String, expecting kind: SignedDataKind, claims: any TestClaims) -> Case {
        Case(
            name, code: .tokenKindMismatch,
            given: {
                $0.kind = kind
                switch kind {
                case .transaction: break
                case .renewalInfo: $0.claims = TestRenewalInfo("com.example.plus", original: "1")
                case .appTransaction: $0.claims = TestAppTransaction()
                case .notification: $0.claims = TestNotification()
                case .realtimeRequest: $0.claims = TestRealtimeRequest("com.example.plus", original: "1")
                }
            }, harm: { $0.claims = claims })
    }

    private static func addMembers(to testCase: inout SignedDataTestCase, count: Int) {
        testCase.token = { for number in 0..<count { $0.payload["member\(number)"] = 1 } }
    }

    static func notify(_ testCase: inout SignedDataTestCase, with notification: TestNotification) {
        testCase.kind = .notification
        testCase.claims = notification
    }

    static let environments: [Case] = [
        xcode("Xcode: no certificate is trusted", code: .xcodeNotTrusted) { $0.xcode = .disabled },
        xcode("Xcode: another certificate is trusted", code: .xcodeCertificateMismatch) {
            $0.xcode = try XcodeTrust(der: [TestPKI.xcode.der()])
        },
        xcode("Xcode: the certificate is trusted as an anchor, not for Xcode", code: .xcodeNotTrusted) {
            $0.xcode = .disabled
            $0.anchors = [try xcodeCertificate.get()]
        },
        xcode("Xcode: the environment is production", code: .tokenCertificateCount, check: .certificateChain) {
            $0.claims = transaction(.production)
        },
        xcode("Xcode: the environment is sandbox", code: .tokenCertificateCount, check: .certificateChain) {
            $0.claims = transaction(.sandbox)
        },
        xcode("Xcode: the environment is xcode in lowercase", code: .tokenCertificateCount, check: .certificateChain) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "xcode"))
        },
        xcode("Xcode: the environment is missing", code: .tokenCertificateCount, check: .certificateChain) {
            let certificate = try xcodeCertificate.get()
            $0.token = {
                $0.header["x5c"] = .array([.string(TestToken.base64(certificate))])
                $0.payload["environment"] = nil
            }
        },
        xcode("Xcode: production and sandbox are expected", code: .environmentMismatch) {
            $0.expectations.environments = [.production, .sandbox]
        },
        xcode("Xcode: a signature by another key", code: .signatureInvalid) {
            $0.token = {
                $0.header["x5c"] = .array([.string(TestToken.base64(try xcodeCertificate.get()))])
                $0.key = .foreignSigner
            }
        },
        xcode("Xcode: alg none", code: .tokenSignatureMalformed) {
            $0.token = {
                $0.header["alg"] = "none"
                $0.signature = .bytes([])
            }
        },
        xcode("LocalTesting: alg none", code: .tokenAlgorithmUnsupported) {
            $0.claims = transaction(.localTesting)
            $0.token = { $0.header["alg"] = "none" }
        },
        xcode("LocalTesting: without certificates", code: .tokenCertificatesMissing) {
            $0.claims = transaction(.localTesting)
            $0.token = { $0.header["x5c"] = nil }
        },
        xcode("Xcode: signed before the certificate was valid", code: .signerNotYetValid) {
            $0.claims = transaction(.xcode).with { $0.signedDate = instant("2019-12-31T23:59:59Z") }
        },
        xcode("Xcode: the signer's certificate three times", code: .signerSelfSigned) {
            $0.token = {
                $0.header["x5c"] = .array(
                    [AppStoreJSON](repeating: .string(TestToken.base64(try xcodeCertificate.get())), count: 3))
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
        _ name: String, code: ReceiptError.Code, check: ValidationCheck? = nil,
        harm change: @escaping Change
    ) -> Case {
        Case(
            name, code: code, check: check,
            given: { testCase in
                testCase.claims = transaction(.xcode)
                testCase.isSignedByXcode = true
                let certificate = try xcodeCertificate.get()
                testCase.token = { $0.header["x5c"] = .array([.string(TestToken.base64(certificate))]) }
                testCase.xcode = try XcodeTrust(der: [certificate])
                testCase.expectations.environments = .anyEnvironment
            }, harm: change)
    }

    static let expectationAttacks: [Case] = [
        Case("another app", code: .bundleIdentifierMismatch) {
            $0.claims = transaction(.sandbox).with { $0.bundleIdentifier = "com.example.other" }
        },
        Case("another app whose identifier begins with the expected one", code: .bundleIdentifierMismatch) {
            $0.claims = transaction(.sandbox).with { $0.bundleIdentifier = "com.example.app2" }
        },
        Case("the app's identifier in another case", code: .bundleIdentifierMismatch) {
            $0.claims = transaction(.sandbox).with { $0.bundleIdentifier = "com.example.App" }
        },
        token("no app", code: .bundleIdentifierMissing) { $0.payload["bundleId"] = nil },
        token("an app that is null", code: .bundleIdentifierMissing) { $0.payload["bundleId"] = .null },
        Case("sandbox data in production", code: .environmentMismatch) {
            $0.expectations.environments = [.production]
        },
        Case("production data in the sandbox", code: .environmentMismatch) { $0.claims = transaction(.production) },
        Case("an unknown environment", code: .environmentUnknown) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "Staging"))
        },
        Case("production in lowercase", code: .environmentUnknown) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "production"))
            $0.expectations.environments = [.production, .sandbox]
        },
        Case("a receipt's name for the sandbox", code: .environmentUnknown) {
            $0.claims = transaction(SignedDataEnvironment(rawValue: "ProductionSandbox"))
        },
        token("no environment", code: .environmentMissing) { $0.payload["environment"] = nil },
        Case("no environment is accepted", code: .environmentMismatch) { $0.expectations.environments = [] },
        production("an app transaction with another Apple ID", code: .appAppleIdentifierMismatch, kind: .appTransaction)
        {
            $0.claims = TestAppTransaction().with {
                $0.environment = .production; $0.appAppleIdentifier = 1_234_567_891
            }
        },
        production("an app transaction without an Apple ID", code: .appAppleIdentifierMissing, kind: .appTransaction) {
            $0.claims = TestAppTransaction().with { $0.environment = .production }
        },
        production("a notification with another Apple ID", code: .appAppleIdentifierMismatch, kind: .notification) {
            $0.claims = TestNotification().with {
                $0.environment = .production; $0.appAppleIdentifier = 7
            }
        },
        production("a notification without an Apple ID", code: .appAppleIdentifierMissing, kind: .notification) {
            $0.claims = TestNotification().with { $0.environment = .production }
        },
        Case(
            "a notification without a bundle identifier", code: .bundleIdentifierMissing,
            given: { notify(&$0, with: TestNotification()) }
        ) {
            notify(&$0, with: TestNotification().with { $0.overrides = ["data": ["environment": "Sandbox"]] })
        },
        Case(
            "a notification without data", code: .bundleIdentifierMissing,
            given: { notify(&$0, with: TestNotification()) }
        ) {
            notify(&$0, with: TestNotification().with { $0.overrides = ["data": .null] })
        },
        Case(
            "an external purchase token of the sandbox in production", code: .environmentMismatch,
            given: {
                $0.expectations.environments = [.production]
                notify(&$0, with: external("00000000-0000"))
            }
        ) { notify(&$0, with: external("SANDBOX_0000")) },
        appTransaction("an app transaction for another device", code: .deviceVerificationMismatch) {
            $0.device = (other, nonce)
        },
        appTransaction("an app transaction without device verification", code: .deviceVerificationMissing) {
            $0.device = nil
        },
        device("signed for another device", code: .deviceVerificationMismatch) { $0.device = (other, nonce) },
        device("no device verification", code: .deviceVerificationMissing) { $0.device = nil },
        device("another nonce", code: .deviceVerificationMismatch) {
            $0.overrides = ["deviceVerificationNonce": .string(other.uuidString)]
        },
        malformedDevice("a nonce without device verification", overrides: ["deviceVerification": .null]),
        malformedDevice("a device verification without its nonce", overrides: ["deviceVerificationNonce": .null]),
        malformedDevice("a device verification of 47 bytes", overrides: ["deviceVerification": .string(base64(47))]),
        malformedDevice("a device verification that isn't base64", overrides: ["deviceVerification": "?"]),
        malformedDevice("a device verification that is a number", overrides: ["deviceVerification": 7]),
        malformedDevice("a nonce that isn't a UUID", overrides: ["deviceVerificationNonce": "7edea87d"]),
        device("another value", code: .deviceVerificationMismatch) {
            $0.overrides = ["deviceVerification": .string(base64(48))]
        },
    ]

    private static func production(
        _ name: String, code: ReceiptError.Code, kind: SignedDataKind,
        harm change: @escaping Change
    ) -> Case {
        Case(
            name, code: code,
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
            }, harm: change)
    }

    /// Creates an attack with a malformed device verification where one is required. The twin's expectations require
    /// none.
    private static func malformedDevice(_ name: String, overrides: [String: AppStoreJSON]) -> Case {
        Case(
            name, code: .tokenClaimMalformed, check: .deviceVerification,
            given: {
                $0.claims = TestTransaction("com.example.pro", transaction: "1").with {
                    $0.device = (identifier, nonce)
                    $0.overrides = overrides
                }
            }, harm: { $0.expectations.device = [identifier] })
    }

    private static func base64(_ count: Int) -> String { TestToken.base64([UInt8](repeating: 0, count: count)) }

    /// Creates an attack on an app transaction where a device is required.
    private static func appTransaction(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable (inout TestAppTransaction) -> Void
    ) -> Case {
        let made = TestAppTransaction().with { $0.device = (identifier, nonce) }
        return Case(
            name, code: code,
            given: {
                $0.kind = .appTransaction
                $0.expectations.device = [identifier]
                $0.claims = made
            }, harm: { $0.claims = made.with { change(&$0) } })
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
