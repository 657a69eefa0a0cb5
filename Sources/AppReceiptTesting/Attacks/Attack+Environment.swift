import AppReceiptKit

// Rule 9 of THREAT_MODEL.md: Xcode's certificate, and the environment that the receipt claims.

extension Attack {
    static let environments: [Case] = [
        of("Xcode: no certificate is trusted", code: .xcodeNotTrusted) { $0.xcode = .disabled },
        of("Xcode: another certificate is trusted", code: .xcodeCertificateMismatch) {
            $0.xcode = try XcodeTrust(der: [TestPKI.xcode.with { $0.serialNumber = 2 }.der()])
        },
        of("Xcode: another certificate with the same name and key is trusted", code: .xcodeCertificateMismatch) {
            $0.xcode = try XcodeTrust(der: [
                TestPKI.xcode.with { $0.notAfter = instant("2039-01-01T00:00:00Z") }.der()
            ])
        },
        of("Xcode: the certificate is trusted as an anchor, not for Xcode", code: .xcodeNotTrusted) {
            $0.xcode = .disabled
            $0.anchors = [try TestPKI.xcode.der()]
        },
        of("Xcode: the environment is production", code: .xcodeCertificateMisused) {
            $0.receipt.environment = .production
        },
        of("Xcode: the environment is sandbox", code: .xcodeCertificateMisused) {
            $0.receipt.environment = .productionSandbox
        },
        of("Xcode: the environment is xcode in lowercase", code: .xcodeCertificateMisused) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "xcode")
        },
        of("Xcode: the environment is missing", code: .xcodeCertificateMisused) { $0.receipt.overrides[0] = [] },
        of("Xcode: the environment is production and no certificate is trusted", code: .signerSelfSigned) {
            $0.xcode = .disabled
            $0.receipt.environment = .production
        },
        of("Xcode: production and sandbox are expected", code: .environmentMismatch) {
            $0.expectations.environments = [.production, .sandbox]
        },
        of("Xcode: created before the certificate was valid", code: .signerNotYetValid) {
            $0.receipt.creationDate = instant("2019-12-31T23:59:59Z")
        },
        of("Xcode: created after the certificate expired", code: .signerExpired) {
            $0.receipt.creationDate = instant("2040-01-01T00:00:01Z")
        },
        of("Xcode: an invented signature", code: .signatureInvalid) {
            $0.container = { $0.signers[0].signature = [UInt8](repeating: 1, count: 256) }
        },
        of("Xcode: a signature by another key", code: .signatureInvalid) {
            $0.container = { $0.signers[0].key = .untrusted }
        },
        of("Xcode: no creation date", code: .creationDateMissing) { $0.receipt.overrides[12] = [] },
    ]

    /// Creates an attack on a receipt with the environment Xcode that is signed by a trusted certificate.
    private static func of(
        _ name: String, code: ReceiptError.Code, harm change: @escaping Change
    ) -> Case {
        Case(
            name, code: code,
            given: { testCase in
                testCase.receipt.environment = .xcode
                testCase.isSignedByXcode = true
                testCase.xcode = try XcodeTrust(der: [TestPKI.xcode.der()])
                testCase.expectations.environments = .anyEnvironment
            }, harm: change)
    }
}
