import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting

/// A kind of alteration that is applied at every position of a receipt.
package enum Alteration: String, CaseIterable, Sendable {
    case changedBit = "changed bit"
    case changedSignerBitUnderSHA1 = "changed bit of the signer's part, under SHA-1"
    case truncation
    case removedByte = "removed byte"
    case insertedByte = "inserted byte"

    /// Verifies a receipt with this alteration at every position, or at one position in `interval`.
    ///
    /// - Returns: The number of alterations that were tried, and a sentence for each difference from the expected
    ///   result.
    package func deviations(interval: Int = 1) throws -> (tried: Int, deviations: [String]) {
        let results: AlterationResults
        var deviations: [String] = []
        switch self {
        case .changedBit:
            let subject = try AlteredReceipt()
            results = subject.results(at: every(interval, of: subject.bytes.count * 8)) { $0[$1 / 8] ^= 1 << ($1 % 8) }
            deviations = try changedBits(results, subject, interval)
        case .changedSignerBitUnderSHA1:
            let subject = try AlteredReceipt.underSHA1()
            // The signer's part follows the certificates. Every position is tried, because only one bit is harmless.
            let end = try Self.lastCertificate(of: subject).endIndex
            results = subject.results(at: Array(end * 8..<subject.bytes.count * 8)) { $0[$1 / 8] ^= 1 << ($1 % 8) }
            return (results.tried, try changedSignerBits(results, subject))
        case .truncation:
            let subject = try AlteredReceipt()
            if subject.verdict(of: subject.bytes) != .unchanged { deviations.append("The whole receipt is rejected.") }
            results = subject.results(at: every(interval, of: subject.bytes.count)) { $0.removeSubrange($1...) }
            deviations += results.accepted.map { "The first \($0) bytes are accepted." }
        case .removedByte:
            let subject = try AlteredReceipt()
            results = subject.results(at: every(interval, of: subject.bytes.count)) { $0.remove(at: $1) }
            deviations = results.accepted.map { "The receipt is accepted without byte \($0)." }
        case .insertedByte:
            let subject = try AlteredReceipt()
            results = subject.results(at: every(interval, of: (subject.bytes.count + 1) * 256)) {
                $0.insert(UInt8($1 % 256), at: $1 / 256)
            }
            deviations = results.accepted.map { "Byte \($0 % 256) inserted at \($0 / 256) is accepted." }
        }
        return (results.tried, deviations + results.forged.map { "Accepted with other contents: position \($0)." })
    }

    private func every(_ interval: Int, of count: Int) -> [Int] { Array(stride(from: 0, to: count, by: interval)) }

    /// The embedded root has no effect, and CMS has other legal versions. Every other change must be rejected.
    private func changedBits(
        _ results: AlterationResults, _ subject: AlteredReceipt, _ interval: Int
    ) throws -> [String] {
        let root = try Self.lastCertificate(of: subject)
        // The version of SignedData is 1 in PKCS #7. CMS also has 3 and 5, which differ in one bit.
        guard let version = subject.bytes.firstRange(of: [0x02, 0x01, 0x01, 0x31]) else { throw Unexpected() }
        let legalVersions = [(version.lowerBound + 2) * 8 + 1, (version.lowerBound + 2) * 8 + 2]
        var deviations = results.accepted.filter { !root.indices.contains($0 / 8) && !legalVersions.contains($0) }
            .map { "Bit \($0 % 8) of byte \($0 / 8) can be changed." }
        // Detects a verifier that rejects everything.
        if results.accepted.count <= 4000 / interval { deviations.append("Harmless bits of the root are rejected.") }
        if interval == 1, !Set(results.accepted).isSuperset(of: legalVersions) {
            deviations.append("A legal version is rejected.")
        }
        return deviations
    }

    /// Only one bit is harmless: the last arc of 1.2.840.113549.1.1.1 becomes 5, which is RSA with SHA-1 as before.
    private func changedSignerBits(_ results: AlterationResults, _ subject: AlteredReceipt) throws -> [String] {
        let accepted = (results.accepted + results.forged).filter { position in
            let altered = subject.altered(atBit: position)
            let verified = try? subject.verifier.verify(altered, expecting: subject.expectations, now: subject.now)
            return verified?.receipt == subject.verified.receipt
        }
        guard accepted.count == 1, let position = accepted.first, results.accepted.count + results.forged.count == 1
        else {
            return ["Accepted bits: \(accepted)."]
        }
        let container = try ReceiptContainer(parsing: subject.altered(atBit: position))
        let isHarmless =
            container.signer.signatureAlgorithm.objectIdentifier.last == 5
            && container.signer.signature == subject.container.signer.signature
            && container.content == subject.container.content
        return isHarmless ? [] : ["Bit \(position % 8) of byte \(position / 8) can be changed."]
    }

    private static func lastCertificate(of subject: AlteredReceipt) throws -> ArraySlice<UInt8> {
        guard let last = subject.container.certificates.last else { throw Unexpected() }
        return last
    }

    /// The test receipt doesn't have the parts that the alteration needs.
    private struct Unexpected: Error {}
}

extension AlteredReceipt {
    /// A receipt from before 2023, signed with SHA-1.
    fileprivate static func underSHA1() throws -> AlteredReceipt {
        try AlteredReceipt { testCase in
            testCase.pki = .sha1
            testCase.receipt.creationDate = RFC3339.date(
                year: 2017, month: 7, day: 2, hour: 15, minute: 4, second: 5)
            testCase.container = { $0.signers[0].signatureAlgorithm = .rsaEncryption }
        }
    }

    fileprivate func altered(atBit position: Int) -> [UInt8] {
        var altered = bytes
        altered[position / 8] ^= 1 << (position % 8)
        return altered
    }
}
