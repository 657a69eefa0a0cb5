import AppReceiptKit
import AppReceiptSupport
public import Foundation

extension AppReceiptValidator.Parameters {
    /// The device that a receipt must have been issued for.
    public enum DeviceIdentifier {
        /// The device that runs the app.
        case currentDevice
        /// The device with this identifier.
        case data(Data)

        /// Creates an identifier from its bytes in base64, nil if the text isn't base64.
        public init?(base64Encoded: String) {
            guard let data = Data(base64Encoded: base64Encoded) else { return nil }
            self = .data(data)
        }

        /// Creates an identifier from an identifier for vendor.
        public init(uuid: UUID) { self = .data(Data(AppReceiptKit.DeviceIdentifier(uuid).bytes)) }

        /// Creates an identifier from a MAC address, nil if the text isn't six hexadecimal numbers of one or two
        /// digits.
        public init?(macAddress: String, separator: String = ":") {
            let parts = macAddress.components(separatedBy: separator)
            let bytes = parts.compactMap { part in
                (1...2).contains(part.utf8.count) && part.allSatisfy(\.isHexDigit) ? UInt8(part, radix: 16) : nil
            }
            guard parts.count == 6, bytes.count == 6 else { return nil }
            self = .data(Data(bytes))
        }

        /// Returns the bytes of the identifier, nil if the current device's isn't available.
        ///
        /// The function can be called on any thread. On iOS, tvOS, visionOS and watchOS the system provides the
        /// identifier on the main thread only. On another thread the function waits for the main thread, so the main
        /// thread must not wait for the caller.
        public func getData() -> Data? { (try? candidates())?.first.map { Data($0) } }

        /// Returns the identifiers to try, the most likely first: a Mac may have several.
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

#if os(macOS) || targetEnvironment(macCatalyst) || SHAPE_MACOS
extension AppReceiptValidator.Parameters.DeviceIdentifier {
    /// Returns the MAC address of the primary network interface, as bytes and as text of the form `aa:bb:cc:dd:ee:ff`.
    ///
    /// Follows Apple's current procedure for receipts: en0 if it is built in, otherwise en1 if it is built in,
    /// otherwise en0.
    public static func getPrimaryNetworkMACAddress() -> (data: Data, addressString: String)? {
        NetworkAddress.primary.map(described)
    }

    /// Returns the MAC address of the primary network interface by the procedure that Apple recommended until 2017.
    public static func getLegacyPrimaryNetworkMACAddress() -> (data: Data, addressString: String)? {
        NetworkAddress.legacy.map(described)
    }

    private static func described(_ address: AppReceiptKit.DeviceIdentifier) -> (data: Data, addressString: String) {
        (Data(address.bytes), address.bytes.hexadecimal(separator: ":"))
    }
}
#endif
