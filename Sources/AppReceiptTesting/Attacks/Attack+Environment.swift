import AppReceiptKit

// Rule of trust 9: Xcode's certificate, and what environment is claimed.

extension Attack {
    static let environments: [Attack] = [
        of("Xcode: nothing is trusted by default", .xcodeNotTrusted) { $0.xcode = .disabled },
        of("Xcode: another certificate is named", .xcodeCertificateMismatch) {
            $0.xcode = try XcodeTrust(certificates: [TestPKI.xcode.with { $0.serialNumber = 2 }.der()])
        },
        of("Xcode: a certificate with the same name and key is named", .xcodeCertificateMismatch) {
            $0.xcode = try XcodeTrust(certificates: [
                TestPKI.xcode.with { $0.notAfter = instant("2039-01-01T00:00:00Z") }.der()
            ])
        },
        of("Xcode: the certificate is an anchor, not an Xcode certificate", .xcodeNotTrusted) {
            $0.xcode = .disabled
            $0.anchors = [try TestPKI.xcode.der()]
        },
        of("Xcode: the receipt says production", .xcodeCertificateMisused) { $0.receipt.environment = .production },
        of("Xcode: the receipt says sandbox", .xcodeCertificateMisused) {
            $0.receipt.environment = .productionSandbox
        },
        of("Xcode: the receipt says xcode in lower case", .xcodeCertificateMisused) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "xcode")
        },
        of("Xcode: the receipt says nothing", .xcodeCertificateMisused) { $0.receipt.overrides[0] = [] },
        of("Xcode: the receipt says production and the certificate is not named", .signerSelfSigned) {
            $0.xcode = .disabled
            $0.receipt.environment = .production
        },
        of("Xcode: production and sandbox are expected", .environmentMismatch) {
            $0.expectations.environments = [.production, .sandbox]
        },
        of("Xcode: made before the certificate was valid", .signerNotYetValid) {
            $0.receipt.creationDate = instant("2019-12-31T23:59:59Z")
        },
        of("Xcode: made after the certificate had expired", .signerExpired) {
            $0.receipt.creationDate = instant("2040-01-01T00:00:01Z")
        },
        of("Xcode: an invented signature", .signatureInvalid) {
            $0.container = { $0.signers[0].signature = [UInt8](repeating: 1, count: 256) }
        },
        of("Xcode: another key signed", .signatureInvalid) { $0.container = { $0.signers[0].key = .stranger } },
        of("Xcode: no creation date", .creationDateMissing) { $0.receipt.overrides[12] = [] },
    ]

    /// A receipt with the environment Xcode, signed by a trusted certificate; the attack changes a part of it.
    private static func of(
        _ name: String, _ code: ReceiptError.Code, _ change: @escaping @Sendable (inout ReceiptTestCase) throws -> Void
    ) -> Attack {
        Attack(
            name, code, on: .environment,
            given: { testCase in
                testCase.receipt.environment = .xcode
                testCase.signsLikeXcode = true
                testCase.xcode = try XcodeTrust(certificates: [TestPKI.xcode.der()])
                testCase.expectations.environments = .anyEnvironment
            }, change)
    }
}
