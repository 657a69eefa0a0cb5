import AppReceiptSupport
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONObject {
    func with(_ overrides: [String: JSONValue]) -> JSONObject {
        var changed = self
        for (name, value) in overrides.sorted(by: { $0.key < $1.key }) { changed[name] = value == .null ? nil : value }
        return changed
    }

    /// Adds the members that bind data to a device.
    mutating func bind(to device: (identifier: UUID, nonce: UUID)?) {
        guard let device else { return }
        let value = DeviceVerification.value(nonce: device.nonce, device: device.identifier)
        self["deviceVerification"] = .string(TestJWS.base64(value))
        self["deviceVerificationNonce"] = .string(device.nonce.uuidString.lowercased())
    }
}
