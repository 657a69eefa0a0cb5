import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

// The chain rules, and the tokens in a notification.

extension SignedDataAttack {
    static let chains: [Case] = [
        Case("the signer has no marker", code: .signerMarkerMissing) { $0.pki.signer.markers = [] },
        Case("the signer has the intermediate's marker", code: .signerMarkerMissing) {
            $0.pki.signer.markers = [TestCertificate.intermediateMarker]
        },
        Case("the intermediate has no marker", code: .intermediateMarkerMissing) { $0.pki.intermediate.markers = [] },
        Case("a developer certificate", code: .signerMarkerMissing) {
            $0.pki.signer.markers = ["1.2.840.113635.100.6.1.2"]
            $0.pki.signer.key = .foreignSigner
        },
        Case("another root, included in the token", code: .rootNotTrusted) {
            $0.anchors = [try $0.pki.root.der()]
            for certificate in [\TestPKI.root, \.intermediate, \.signer] {
                $0.pki[keyPath: certificate].issuer = TestName(
                    "Somebody's \($0.pki[keyPath: certificate].issuer.commonName)")
                $0.pki[keyPath: certificate].subject = TestName(
                    "Somebody's \($0.pki[keyPath: certificate].subject.commonName)")
            }
        },
        Case("another root, with the trusted root in the token", code: .rootNotTrusted) {
            let trusted = try $0.pki.root.der()
            $0.anchors = [trusted]
            $0.pki.root.subject = TestName("Somebody's root")
            $0.pki.intermediate.issuer = TestName("Somebody's root")
            $0.token = {
                $0.header["x5c"] = .array(
                    ($0.header["x5c"]?.array?.prefix(2) ?? []) + [.string(TestToken.base64(trusted))])
            }
        },
        Case("the same names with other keys", code: .intermediateSignatureInvalid) {
            $0.anchors = [try $0.pki.root.der()]
            $0.pki.root.key = .foreignSigner
            $0.pki.root.issuerKey = .foreignSigner
            $0.pki.intermediate.issuerKey = .foreignSigner
        },
        Case("only Apple's roots are trusted", code: .rootNotTrusted) {
            $0.anchors = TrustAnchors.apple.certificates
        },
        Case("the signer's issuer isn't the intermediate", code: .intermediateMissing) {
            $0.pki.signer.issuer = TestName("Somebody else")
        },
        Case("the signer was signed by another key", code: .signerSignatureInvalid) {
            $0.pki.signer.issuerKey = .foreignSigner
        },
        Case("the intermediate isn't a CA", code: .intermediateNotAuthority) {
            $0.pki.intermediate.isAuthority = false
            $0.pki.intermediate.pathLength = nil
        },
        Case(
            "the intermediate's key usage excludes certificate signing", code: .intermediateKeyUsage,
            twin: { $0.pki.intermediate.keyUsage = nil }
        ) {
            $0.pki.intermediate.keyUsage = [.cRLSign]
        },
        Case("the signer's key usage excludes signing", code: .signerKeyUsage, twin: { $0.pki.signer.keyUsage = nil }) {
            $0.pki.signer.keyUsage = [.keyEncipherment]
        },
        Case(
            "the signer's key usage is malformed", code: .certificateMalformed, twin: { $0.pki.signer.keyUsage = nil }
        ) {
            $0.pki.signer.keyUsage = nil
            $0.pki.signer.extensions = [TestCertificate.Extension("2.5.29.15", critical: true)]
        },
        Case("the signer is a CA", code: .signerIsAuthority) { $0.pki.signer.isAuthority = true },
        Case("the root signed the signer", code: .intermediateMissing) {
            $0.pki.signer.issuer = $0.pki.root.subject
            $0.pki.signer.issuerKey = $0.pki.root.key
        },
        Case("the root instead of the intermediate", code: .chainTooShort) {
            $0.pki.signer.issuer = $0.pki.root.subject
            $0.pki.signer.issuerKey = $0.pki.root.key
            $0.pki.intermediate = $0.pki.root
        },
        Case("signed before the signer's certificate was valid", code: .signerNotYetValid) {
            sign(&$0, at: "2021-12-31T23:59:59Z")
        },
        Case("signed after the signer's certificate expired", code: .signerExpired) {
            sign(&$0, at: "2032-01-01T00:00:01Z")
        },
        Case("signed before any certificate was valid", code: .anchorNotYetValid) {
            sign(&$0, at: "0001-01-01T00:00:00Z")
        },
        Case("signed after every certificate expired", code: .anchorExpired) { sign(&$0, at: "9999-01-01T00:00:00Z") },
        Case("an unknown critical extension", code: .signerCriticalExtension) {
            $0.pki.signer.extensions = [TestCertificate.Extension("1.2.3.4", critical: true)]
        },
        Case(
            "a malformed third certificate, and a signer without marker", code: .signerMarkerMissing,
            twin: { malformThirdCertificate(&$0) }
        ) {
            $0.pki.signer.markers = []
            malformThirdCertificate(&$0)
        },
        token("the certificates of a trusted chain with a signature by another key", code: .signatureInvalid) {
            $0.key = .foreignSigner
        },
    ]

    /// The third certificate is ignored.
    private static func malformThirdCertificate(_ testCase: inout SignedDataTestCase) {
        testCase.token = { $0.header["x5c"] = .array(($0.header["x5c"]?.array?.prefix(2) ?? []) + ["nonsense"]) }
    }

    private static func sign(_ testCase: inout SignedDataTestCase, at date: StaticString) {
        testCase.claims = TestTransaction("com.example.pro", transaction: "1").with { $0.signedDate = instant(date) }
    }

    static let nested: [Case] = [
        inside("a transaction with alg none", code: .tokenAlgorithmUnsupported) { notification in
            notification.signedTransactionInfo = try signedTransaction { $0.header["alg"] = "none" }
        },
        inside("an unsigned transaction", code: .tokenTruncated) {
            $0.signedTransactionInfo = $0.signedTransactionInfo.map {
                $0.split(separator: ".").prefix(2).joined(separator: ".")
            }
        },
        inside("a transaction that is unencoded JSON", code: .tokenUnsigned) {
            $0.signedTransactionInfo = String(decoding: AppStoreJSON.object(transaction.members).text(), as: UTF8.self)
        },
        inside("an empty transaction", code: .tokenMalformed) { $0.signedTransactionInfo = "" },
        inside("a transaction signed by another key", code: .signatureInvalid) { notification in
            notification.signedTransactionInfo = try signedTransaction { $0.key = .foreignSigner }
        },
        inside("a transaction of another PKI", code: .intermediateSignatureInvalid) {
            $0.signedTransactionInfo = try transaction.signed(
                by: TestPKI.signedData.with {
                    $0.root.key = .foreignSigner
                    $0.intermediate.issuerKey = .foreignSigner
                })
        },
        inside("a transaction of another app", code: .bundleIdentifierMismatch) {
            $0.signedTransactionInfo = try transaction.with { $0.bundleIdentifier = "com.example.other" }.signed()
        },
        inside("a transaction of another environment", code: .environmentMismatch) {
            $0.signedTransactionInfo = try transaction.with { $0.environment = .production }.signed()
        },
        inside("a transaction instead of renewal information", code: .tokenKindMismatch) {
            $0.signedRenewalInfo = try transaction.signed()
        },
        inside("renewal information instead of a transaction", code: .tokenKindMismatch) {
            $0.signedTransactionInfo = try renewalInfo.signed()
        },
        inside("a notification instead of a transaction", code: .tokenKindMismatch) {
            $0.signedTransactionInfo = try TestNotification().signed()
        },
        inside("renewal information of another subscription", code: .nestedDataMismatch) {
            $0.signedRenewalInfo = try TestRenewalInfo("com.example.plus", original: "2000000000000777").signed()
        },
        inside("renewal information with a transaction without identifiers", code: .nestedDataMismatch) {
            $0.signedTransactionInfo = try transaction.with {
                $0.overrides = ["originalTransactionId": .null, "transactionId": .null]
            }.signed()
        },
        inside("renewal information without an original transaction", code: .nestedDataMismatch) {
            $0.signedRenewalInfo = try renewalInfo.with { $0.overrides = ["originalTransactionId": .null] }.signed()
        },
        inside("renewal information signed by another key", code: .signatureInvalid) {
            var made = try TestToken(renewalInfo.members)
            made.key = .foreignSigner
            $0.signedRenewalInfo = try made.encoded()
        },
        inside("renewal information of another environment", code: .environmentMismatch) {
            $0.signedRenewalInfo = try renewalInfo.with { $0.environment = .production }.signed()
        },
        inside(
            "a transaction of another app where any app is accepted", code: .bundleIdentifierMismatch,
            given: {
                $0.expectations.bundleIdentifier = .anyBundle
                $0.expectations.environments = .anyEnvironment
            }
        ) {
            $0.signedTransactionInfo = try transaction.with { $0.bundleIdentifier = "com.example.other" }.signed()
        },
        inside(
            "a transaction of another environment where any is accepted", code: .environmentMismatch,
            given: {
                $0.expectations.environments = .anyEnvironment
            }
        ) {
            $0.signedTransactionInfo = try transaction.with { $0.environment = .production }.signed()
        },
        Case("a transaction that is an object", code: .tokenClaimMalformed, given: subscribed) {
            testCase in
            var data = TestNotification().data
            data["signedTransactionInfo"] = .object(transaction.members)
            notify(&testCase, with: TestNotification(type: .subscribed).with { $0.overrides = ["data": .object(data)] })
        },
        Case(
            "an app transaction of another app", code: .bundleIdentifierMismatch, check: .nestedData,
            given: { try rescind(&$0, app: "com.example.app") }
        ) {
            try rescind(&$0, app: "com.example.other")
        },
    ]

    private static let transaction = TestTransaction(
        "com.example.plus", transaction: "2000000000000002", original: "2000000000000001",
        until: instant("2024-08-01T12:00:00Z"))
    private static let renewalInfo = TestRenewalInfo("com.example.plus", original: "2000000000000001")

    private static func signedTransaction(_ change: (inout TestToken) throws -> Void) throws -> String {
        var token = try TestToken(transaction.members)
        try change(&token)
        return try token.encoded()
    }

    private static func subscribed(_ testCase: inout SignedDataTestCase) throws {
        notify(&testCase, with: try notification())
    }

    /// Creates a notification about a new subscription, with both tokens.
    private static func notification() throws(ReceiptError) -> TestNotification {
        let (transaction, renewalInfo) = (try transaction.signed(), try renewalInfo.signed())
        return TestNotification(type: .subscribed, subtype: .initialBuy).with {
            $0.status = .active
            $0.signedTransactionInfo = transaction
            $0.signedRenewalInfo = renewalInfo
        }
    }

    private static func inside(
        _ name: String, code: ReceiptError.Code, given: @escaping Change = { _ in },
        harm change: @escaping @Sendable (inout TestNotification) throws -> Void
    ) -> Case {
        Case(
            name, code: code, check: .nestedData,
            given: {
                try subscribed(&$0)
                try given(&$0)
            }, harm: { notify(&$0, with: try notification().with { try change(&$0) }) })
    }

    private static func rescind(_ testCase: inout SignedDataTestCase, app bundle: String) throws {
        let token = try TestAppTransaction().with { $0.bundleIdentifier = bundle }.signed()
        notify(
            &testCase,
            with: TestNotification(type: .rescindConsent).with {
                $0.overrides = [
                    "data": .null,
                    "appData": [
                        "bundleId": "com.example.app", "environment": "Sandbox",
                        "signedAppTransactionInfo": .string(token),
                    ],
                ]
            })
    }

    // MARK: Devices

    static let identifier = uuid("00000000-0000-4000-8000-000000000001")
    static let other = uuid("00000000-0000-4000-8000-000000000002")
    static let nonce = uuid("7edea87d-98f0-42d0-9682-49ca81022f73")

    static func device(
        _ name: String, code: ReceiptError.Code, harm change: @escaping @Sendable (inout TestTransaction) -> Void
    ) -> Case {
        let made = TestTransaction("com.example.pro", transaction: "1").with { $0.device = (identifier, nonce) }
        return Case(
            name, code: code,
            given: {
                $0.expectations.device = [identifier]
                $0.claims = made
            }, harm: { $0.claims = made.with { change(&$0) } })
    }

    private static func uuid(_ text: StaticString) -> UUID {
        guard let uuid = UUID(uuidString: text.description) else { preconditionFailure("\(text) isn't a UUID") }
        return uuid
    }
}
