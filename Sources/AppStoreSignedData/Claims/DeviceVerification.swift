public import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import Crypto

/// The binding of data to the device that requested it. Source: Apple, Transaction.deviceVerification.
///
/// Data from the App Store's server doesn't contain one.
public struct DeviceVerification: Sendable, Hashable {
    /// The SHA-384 digest of nonce and device, `deviceVerification`, 48 bytes.
    public let value: [UInt8]
    /// The nonce, `deviceVerificationNonce`.
    public let nonce: UUID

    /// Reads both members.
    ///
    /// - Returns: `nil` if one of them is absent or malformed.
    init?(_ claims: ClaimReader) {
        guard let text = try? claims.string("deviceVerification"),
            let value = try? Base64.decode(ArraySlice(text.utf8)),
            value.count == 48, let nonce = try? claims.string("deviceVerificationNonce"),
            let uuid = UUID(uuidString: nonce)
        else { return nil }
        self.value = value
        self.nonce = uuid
    }

    /// Whether at least one of the members is present, readable or not.
    static func isPresent(in claims: ClaimReader) -> Bool {
        claims.contains("deviceVerification") || claims.contains("deviceVerificationNonce")
    }

    /// Returns whether the data was signed for the device with this `AppStore.deviceVerificationID`.
    ///
    /// - Parameter device: The device.
    /// - Returns: Whether the digest of nonce and device is ``value``.
    public func isFor(_ device: UUID) -> Bool { Self.value(nonce: nonce, device: device) == value }

    /// Returns the SHA-384 digest of both in lower case, the nonce first, as Apple documents.
    package static func value(nonce: UUID, device: UUID) -> [UInt8] {
        Array(SHA384.hash(data: Array((nonce.uuidString + device.uuidString).lowercased().utf8)))
    }
}
