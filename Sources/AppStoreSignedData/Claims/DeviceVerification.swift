import AppReceiptKit
import AppReceiptSupport
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What binds data to the device that asked for it. Source: Apple, Transaction.deviceVerification.
///
/// Data from the App Store's server has none.
public struct DeviceVerification: Sendable, Hashable {
    /// `deviceVerification`: SHA-384 over nonce and device, 48 bytes.
    public let value: [UInt8]
    /// `deviceVerificationNonce`
    public let nonce: UUID

    /// Reads both members.
    ///
    /// - Returns: nil if one of them is absent or malformed.
    init?(_ claims: ClaimReader) {
        guard let text = try? claims.text("deviceVerification"), let value = try? Base64.decode(ArraySlice(text.utf8)),
            value.count == 48, let nonce = try? claims.text("deviceVerificationNonce"),
            let uuid = UUID(uuidString: nonce)
        else { return nil }
        self.value = value
        self.nonce = uuid
    }

    /// Whether at least one of the members is present, readable or not.
    static func isPresent(in claims: ClaimReader) -> Bool {
        claims.has("deviceVerification") || claims.has("deviceVerificationNonce")
    }

    /// Whether it was made for the device with this `AppStore.deviceVerificationID`.
    public func isFor(_ device: UUID) -> Bool { Self.value(nonce: nonce, device: device) == value }

    /// SHA-384 over both in lower case, the nonce first, as Apple describes it.
    package static func value(nonce: UUID, device: UUID) -> [UInt8] {
        Array(SHA384.hash(data: Array((nonce.uuidString + device.uuidString).lowercased().utf8)))
    }
}
