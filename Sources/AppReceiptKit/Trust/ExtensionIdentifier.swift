import SwiftASN1

/// The object identifiers of the extensions that chain validation uses.
enum ExtensionIdentifier {
    static let basicConstraints: ASN1ObjectIdentifier = [2, 5, 29, 19]
    static let keyUsage: ASN1ObjectIdentifier = [2, 5, 29, 15]
    static let subjectKeyIdentifier: ASN1ObjectIdentifier = [2, 5, 29, 14]
    static let nameConstraints: ASN1ObjectIdentifier = [2, 5, 29, 30]
    /// Apple's marker on intermediates that may issue certificates for receipt signers.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// Apple's marker on certificates that may sign receipts.
    static let signerMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    /// The extensions that may be critical, because chain validation evaluates them.
    static let supported: Set<ASN1ObjectIdentifier> = [
        basicConstraints, keyUsage, intermediateMarker, signerMarker,
    ]
}
