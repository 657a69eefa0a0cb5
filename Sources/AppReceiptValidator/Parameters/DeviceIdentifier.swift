import AppReceiptKit
public import Foundation

extension AppReceiptValidator.Parameters {
    /// The device that a receipt must have been made for.
    public enum DeviceIdentifier {
        /// This one.
        case currentDevice
        /// The one with this identifier.
        case data(Data)

        /// The identifier whose bytes `base64Encoded` stands for; nil if it is no base64.
        public init?(base64Encoded: String) {
            guard let data = Data(base64Encoded: base64Encoded) else { return nil }
            self = .data(data)
        }

        /// An identifier for vendor.
        public init(uuid: UUID) { self = .data(Data(AppReceiptKit.DeviceIdentifier(uuid).bytes)) }

        /// A MAC address of six hex numbers; nil for anything else.
        public init?(macAddress: String, separator: String = ":") {
            let parts = macAddress.components(separatedBy: separator)
            let bytes = parts.compactMap { part in
                (1...2).contains(part.utf8.count) && part.allSatisfy(\.isHexDigit) ? UInt8(part, radix: 16) : nil
            }
            guard parts.count == 6, bytes.count == 6 else { return nil }
            self = .data(Data(bytes))
        }

        /// The bytes of the identifier; nil if this device's cannot be had.
        ///
        /// May be called on any thread. On iOS, tvOS, visionOS and watchOS the system answers on the main thread only:
        /// called elsewhere this waits until that is free, so do not let the main thread wait for the caller.
        public func getData() -> Data? { (try? candidates())?.first.map { Data($0) } }

        /// The identifiers to try, the likeliest first: a Mac may have several.
        func candidates() throws(AppReceiptValidator.Error) -> [[UInt8]] {
            switch self {
            case .data(let data): return [Array(data)]
            case .currentDevice:
                do throws(ReceiptError) {
                    return try AppReceiptKit.DeviceIdentifier.current().map(\.bytes)
                } catch {
                    throw AppReceiptValidator.Error(error)
                }
            }
        }
    }
}

#if os(macOS) || SHAPE_MACOS
extension AppReceiptValidator.Parameters.DeviceIdentifier {
    /// The MAC address that Apple's procedure finds, as bytes and as `aa:bb:cc:dd:ee:ff`.
    public static func getPrimaryNetworkMACAddress() -> (data: Data, addressString: String)? {
        NetworkAddress.primary.map(described)
    }

    /// The MAC address that Apple's procedure of 2017 finds, as bytes and as `aa:bb:cc:dd:ee:ff`.
    public static func getLegacyPrimaryNetworkMACAddress() -> (data: Data, addressString: String)? {
        NetworkAddress.legacy.map(described)
    }

    private static func described(_ address: AppReceiptKit.DeviceIdentifier) -> (data: Data, addressString: String) {
        let parts = address.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return (Data(address.bytes), parts.joined(separator: ":"))
    }
}
#endif
