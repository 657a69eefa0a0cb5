/// SubjectPublicKeyInfo structures of keys without a known private key.
package enum PublicKeyInfos {
    /// Encodes an RSA key with a modulus of exactly `bits` bits.
    package static func rsa(bits: Int, exponent: UInt64 = 65_537, algorithm: String = "1.2.840.113549.1.1.1") -> [UInt8]
    {
        var modulus = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        modulus[0] = UInt8(truncatingIfNeeded: 0xFF >> ((8 - bits % 8) % 8))
        // The first bit of an INTEGER is its sign.
        let octets = modulus[0] & 0x80 != 0 ? [0] + modulus : modulus
        let key = DERWriter.sequence([DERWriter.element(0x02, octets), DERWriter.integer(exponent)])
        return info(algorithm: DERWriter.sequence([DERWriter.objectIdentifier(algorithm), DERWriter.null]), key: key)
    }

    /// Encodes an elliptic-curve key. The point need not be on the curve.
    package static func elliptic(curve: String, point: [UInt8]) -> [UInt8] {
        info(
            algorithm: DERWriter.sequence([
                DERWriter.objectIdentifier("1.2.840.10045.2.1"), DERWriter.objectIdentifier(curve),
            ]), key: point)
    }

    package static let p256 = "1.2.840.10045.3.1.7"
    static let p521 = "1.3.132.0.35"
    package static let secp256k1 = "1.3.132.0.10"

    package static let ed25519 = info(
        algorithm: DERWriter.sequence([DERWriter.objectIdentifier("1.3.101.112")]),
        key: [UInt8](repeating: 7, count: 32))

    package static let onP521 = elliptic(curve: p521, point: [4] + [UInt8](repeating: 7, count: 132))
    package static let offTheCurve = elliptic(curve: p256, point: [4] + [UInt8](repeating: 7, count: 64))

    private static func info(algorithm: [UInt8], key: [UInt8]) -> [UInt8] {
        DERWriter.sequence([algorithm, DERWriter.bitString(key)])
    }
}
