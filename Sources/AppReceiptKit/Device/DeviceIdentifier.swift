public import AppReceiptFoundation
public import AppReceiptParsing
import AppReceiptSupport
import Crypto

/// The identifier of a device, from which a receipt's device hash is computed.
///
/// On iOS, iPadOS, tvOS, watchOS and visionOS, it is the 16 bytes of the identifier for vendor. On macOS and Mac
/// Catalyst, it is the 6 bytes of a network interface's MAC address.
///
/// Printing and reflection show only its length, and it isn't `Codable`,
/// so that it isn't written to a log or file by accident.
///
/// Source: Apple, Validating receipts on the device.
public struct DeviceIdentifier: Sendable, Hashable {
    /// The bytes that are hashed.
    public let bytes: [UInt8]

    /// Creates an identifier from an identifier for vendor.
    public init(_ uuid: UUID) {
        let uuid = uuid.uuid
        bytes = [
            uuid.0, uuid.1, uuid.2, uuid.3, uuid.4, uuid.5, uuid.6, uuid.7,
            uuid.8, uuid.9, uuid.10, uuid.11, uuid.12, uuid.13, uuid.14, uuid.15,
        ]
    }

    /// The identifier for vendor, nil for a MAC address.
    package var uuid: UUID? {
        guard bytes.count == 16 else { return nil }
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }

    /// Creates an identifier from its bytes; nil unless there are 6 or 16.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 6 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Creates an identifier from the six bytes of a MAC address, nil for other lengths.
    init?(address: [UInt8]) {
        guard address.count == 6 else { return nil }
        bytes = address
    }

    /// Parses an identifier.
    ///
    /// - Parameter text: A UUID, a MAC address with `:` or `-`, 12 or 32 hex digits, or base64 of 6 or 16 bytes.
    /// - Throws: `device-identifier-malformed` for other text.
    public init(text: String) throws(ReceiptError) {
        guard let bytes = Self.bytes(of: Array(text.utf8)) else { throw ReceiptError(.deviceIdentifierMalformed) }
        self.bytes = bytes
    }

    /// Parses each form by its length, which is unambiguous: a UUID has 36 characters, a MAC address 17,
    /// hex digits 12 or 32, base64 of 6 bytes 8 and of 16 bytes 24.
    private static func bytes(of text: [UInt8]) -> [UInt8]? {
        switch text.count {
        case 36:
            let hyphens = [8, 13, 18, 23]
            guard hyphens.allSatisfy({ text[$0] == UInt8(ascii: "-") }) else { return nil }
            return hex(text.indices.filter { !hyphens.contains($0) }.map { text[$0] })
        case 17:
            let separator = text[2]
            guard separator == UInt8(ascii: ":") || separator == UInt8(ascii: "-"),
                stride(from: 2, to: 17, by: 3).allSatisfy({ text[$0] == separator })
            else { return nil }
            return hex(text.indices.filter { $0 % 3 != 2 }.map { text[$0] })
        case 12, 32:
            return hex(text)
        case 8, 24:
            guard !text.contains(where: Base64.isWhitespace), let bytes = try? Base64.decode(text[...]),
                bytes.count == (text.count == 8 ? 6 : 16)
            else { return nil }
            return bytes
        default:
            return nil
        }
    }

    private static func hex(_ digits: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for pair in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[pair].hexadecimalDigitValue, let low = digits[pair + 1].hexadecimalDigitValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension DeviceIdentifier {
    /// Returns the device hash of a receipt for this device.
    ///
    /// The hash is the SHA-1 digest of the device identifier, the opaque value and the bytes of the bundle identifier.
    /// It is independent of the signature, which may use SHA-256.
    ///
    /// - Parameters:
    ///   - opaqueValue: The receipt's opaque value (attribute 4).
    ///   - bundleIdentifierBytes: The whole value of the bundle identifier (attribute 2).
    /// - Returns: The 20 bytes of the hash.
    public func receiptHash(opaqueValue: [UInt8], bundleIdentifierBytes: [UInt8]) -> [UInt8] {
        var hash = Insecure.SHA1()
        hash.update(data: bytes)
        hash.update(data: opaqueValue)
        hash.update(data: bundleIdentifierBytes)
        return Array(hash.finalize())
    }
}

extension AppReceipt {
    /// Returns the first of these devices that matches the receipt's device hash.
    ///
    /// - Throws: `device-identifier-missing` if the list is empty, `device-hash-missing`, `device-hash-inputs-missing`,
    ///   `device-hash-mismatch`.
    package func device(among devices: [DeviceIdentifier]) throws(ReceiptError) -> DeviceIdentifier {
        guard !devices.isEmpty else { throw ReceiptError(.deviceIdentifierMissing) }
        guard let deviceHash else { throw ReceiptError(.deviceHashMissing) }
        guard let opaqueValue, let bundleIdentifierBytes else { throw ReceiptError(.deviceHashInputsMissing) }
        for device in devices
        where device.receiptHash(opaqueValue: opaqueValue, bundleIdentifierBytes: bundleIdentifierBytes)
            .isSameSecret(as: deviceHash)
        {
            return device
        }
        throw ReceiptError(.deviceHashMismatch)
    }
}

extension [UInt8] {
    /// Whether both are equal, compared in a time that depends only on the lengths.
    fileprivate func isSameSecret(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}

extension DeviceIdentifier: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length, without the bytes.
    public var description: String { "DeviceIdentifier(\(bytes.count) bytes)" }
    /// The length, without the bytes.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
