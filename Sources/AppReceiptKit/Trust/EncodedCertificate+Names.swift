import AppReceiptParsing
import AppReceiptSupport
import SwiftASN1
import X509

extension EncodedCertificate {
    /// Whether issuer and subject are well-formed names. Chain validation compares names as bytes.
    var hasReadableNames: Bool { Self.isReadableName(issuer) && Self.isReadableName(subject) }

    /// Whether an element is `Name ::= SEQUENCE OF SET OF SEQUENCE { type OBJECT IDENTIFIER, value ANY }` (RFC 5280, 4.1.2.4).
    ///
    /// Nearly all sets have one attribute. Those of several must be sorted, which swift-certificates checks.
    private static func isReadableName(_ name: ArraySlice<UInt8>) -> Bool {
        let bytes = name.span
        var whole = DERReader(0..<bytes.count)
        guard let sequence = whole.only(bytes, BERTag.sequence) else { return false }
        var sets = DERReader(sequence.content)
        while !sets.isAtEnd {
            guard let set = sets.next(bytes, BERTag.set) else { return false }
            var attributes = DERReader(set.content)
            guard let attribute = attributes.only(bytes, BERTag.sequence) else {
                return (try? DistinguishedName(derEncoded: DER.parse(name))) != nil
            }
            var members = DERReader(attribute.content)
            guard let type = members.next(bytes, BERTag.objectIdentifier),
                Extension.isReadableIdentifier(bytes, type.content),
                members.next(bytes) != nil, members.isAtEnd
            else { return false }
        }
        return true
    }
}
