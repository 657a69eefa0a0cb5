import AppReceiptFoundation
public import AppReceiptKit
public import AppReceiptSupport
import AppStoreSignedData

/// The claims of signed data to sign.
///
/// Don't conform to this protocol. To sign other claims, create a ``TestToken``.
public protocol TestClaims: TestValue {
    /// The members that are signed.
    var members: AppStoreJSON.Object { get }

    /// Members that replace or extend the members of the payload. Null removes a member.
    var overrides: [String: AppStoreJSON] { get set }
}

extension TestClaims {
    /// Signs the claims as the App Store does: ES256, three certificates.
    ///
    /// - Parameter pki: The root, intermediate and signer.
    /// - Returns: The token.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func signed(by pki: TestPKI = .signedData) throws(ReceiptError) -> String {
        try TestToken(members, signedBy: pki).encoded()
    }

    /// Signs the claims as Xcode does: ES256, one self-signed certificate.
    ///
    /// Only a verifier that is configured to trust ``TestPKI/xcodeTokens``
    /// (`XcodeTrust(der: [TestPKI.xcodeTokens.der()])`) accepts the token, and only if its environment is
    /// Xcode.
    ///
    /// - Returns: The token.
    /// - Throws: `test-key-malformed` if a key can't be read.
    public func signedLikeXcode() throws(ReceiptError) -> String {
        try TestToken(members, signedByXcode: TestPKI.xcodeTokens).encoded()
    }
}

extension AppStoreJSON.Object {
    func with(_ overrides: [String: AppStoreJSON]) -> AppStoreJSON.Object {
        var changed = self
        for (name, value) in overrides.sorted(by: { $0.key < $1.key }) { changed[name] = value == .null ? nil : value }
        return changed
    }

    /// Adds the members that bind data to a device.
    mutating func bind(to device: (identifier: UUID, nonce: UUID)?) {
        guard let device else { return }
        let value = DeviceVerification.value(nonce: device.nonce, device: device.identifier)
        self["deviceVerification"] = .string(TestToken.base64(value))
        self["deviceVerificationNonce"] = .string(device.nonce.uuidString.lowercased())
    }
}

extension AppStoreJSON {
    /// Returns the milliseconds since 1970, with a fraction if the date has one.
    static func date(_ date: Date) -> AppStoreJSON {
        let milliseconds = date.timeIntervalSince1970 * 1000
        if let whole = Int64(exactly: milliseconds.rounded()), abs(milliseconds - milliseconds.rounded()) < 0.001 {
            return .number(AppStoreJSON.Number(whole))
        }
        return .number(AppStoreJSON.Number(milliseconds))
    }
}
