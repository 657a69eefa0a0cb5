import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

/// The signature and the file of signed data.
struct SignedDataOptions: ParsableArguments {
    static let discussion = """
        ECDSA signatures contain a random number: the same options produce different
        bytes each time, with the same payload.
        """

    static let nonce = UUID(uuidString: "7EDEA87D-98F0-42D0-9682-49CA81022F73") ?? UUID()

    @Option(help: "production, sandbox or xcode.")
    var environment: AppStoreEnvironment = .sandbox

    @Option(
        help: .date("The date of signing (RFC 3339). (default: 2024-07-02T15:04:05Z)"),
        transform: ArgumentConversion.date)
    var signed: Date?

    @Option(
        help: ArgumentHelp(
            "A member of the payload, with its value in JSON; null removes the member; data.status is a nested member. "
                + "May be repeated.",
            valueName: "name=value"),
        transform: ArgumentConversion.claim)
    var claim: [ArgumentConversion.Claim] = []

    @Option(
        help: """
            A forgery: payload (altered after signing), signature (altered), impostor (a PKI with the same names), \
            unsigned (alg none).
            """)
    var forge: Forgery?

    @Option(
        help: "The name of the file; .jws is appended if it has no extension.", transform: ArgumentConversion.fileName)
    var name: String?

    @Option(help: .folder("The output folder, created if necessary."), completion: .directory)
    var out: String

    enum Forgery: String, ExpressibleByArgument, CaseIterable { case payload, signature, impostor, unsigned }

    func validate() throws { try TestFiles.checkName(name) }

    /// Signs the payload and writes the files.
    func write(
        to defaultName: String, make: (SignedDataEnvironment, Date) throws -> some TestClaims
    ) throws {
        let environmentClaim: SignedDataEnvironment =
            switch environment {
            case .production: .production
            case .sandbox: .sandbox
            case .xcode: .xcode
            }
        var claims = try make(environmentClaim, signed ?? TestReceipt().creationDate)
        for claim in claim {
            let path = claim.name.split(separator: ".", maxSplits: 1).map(String.init)
            guard path.count == 2, let outer = path.first, let inner = path.last,
                var object = (claims.overrides[outer] ?? claims.members[outer])?.object
            else {
                claims.overrides[claim.name] = claim.value
                continue
            }
            object[inner] = claim.value == .null ? nil : claim.value
            claims.overrides[outer] = .object(object)
        }
        let isXcode = environment == .xcode
        var token: TestToken
        let trust: TestFiles.Trust
        if isXcode {
            let certificate = try TestFiles.xcodeTokenCertificate(in: out)
            token = try TestToken(claims.members, certificates: [certificate], key: TestPKI.xcodeTokens.key)
            trust = .xcode(certificate)
        } else {
            token = try TestToken(claims.members, signedBy: forge == .impostor ? Self.impostor : .signedData)
            trust = try .root(TestPKI.signedData.root, name: TestFiles.signedDataRootName)
        }
        if isXcode, forge == .impostor { token.key = .foreignSigner }
        if forge == .unsigned { token.header["alg"] = "none" }
        try TestFiles(
            folder: out, name: TestFiles.fileName(name, default: defaultName, extension: "jws"),
            contents: Array(forged(try token.encoded()).utf8) + [0x0A],
            trust: trust
        ).write(shownBy: "signed-data")
    }

    private static let impostor = TestPKI.signedData.with {
        $0.root.key = .foreignSigner
        $0.root.issuerKey = .foreignSigner
        $0.intermediate.issuerKey = .foreignSigner
    }

    private func forged(_ token: String) -> String {
        var parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3 else { return token }
        switch forge {
        case .payload:
            let payload = (try? Base64URL.decode(ArraySlice(parts[1].utf8))) ?? []
            // An additional space, which changes the signed bytes but not the JSON value.
            parts[1] = Base64URL.encode(payload + [0x20])
        case .signature:
            var signature = (try? Base64URL.decode(ArraySlice(parts[2].utf8))) ?? []
            if !signature.isEmpty { signature[signature.count - 1] ^= 0x01 }
            parts[2] = Base64URL.encode(signature)
        case .impostor, .unsigned, nil:
            break
        }
        return parts.joined(separator: ".")
    }
}

/// The app that test data is for, with the identifier that production data contains.
struct TestAppOptions: ParsableArguments {
    @Option(help: "The app's bundle identifier.", transform: ArgumentConversion.nonEmpty)
    var bundleID: String

    @Option(help: .number("The app's App Store identifier, which production data contains."))
    var appAppleID: UInt64?
}

/// The device that test data of StoreKit 2 is signed for.
struct TestDeviceOptions: ParsableArguments {
    @Option(
        name: .customLong("device-id"),
        help: .uuid("The device that it is signed for: its deviceVerificationID."),
        transform: ArgumentConversion.uuid)
    var device: UUID?

    /// The device, with the nonce of test data.
    var deviceAndNonce: (UUID, UUID)? { device.map { ($0, SignedDataOptions.nonce) } }
}
