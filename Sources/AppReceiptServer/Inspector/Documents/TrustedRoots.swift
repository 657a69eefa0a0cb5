#if Server
package import AppReceiptKit
import AppReceiptSupport
import Crypto

/// The roots under which a server verifies, in words for the page.
package struct TrustedRoots {
    /// Whether Apple's roots are trusted.
    let includesApple: Bool
    /// Whether none of Apple's roots is trusted.
    package let excludesApple: Bool
    /// The common names of the other roots, or of all if Apple's aren't complete, each once.
    let others: [String]
    /// Whether data from Xcode is accepted.
    let includesXcode: Bool

    /// The maximum number of names in a sentence.
    private static let maxNames = 4

    package init(_ anchors: TrustAnchors, xcode: XcodeTrust = .disabled) {
        let apples = Set(TrustAnchors.apple.certificates)
        let trusted = anchors.certificates
        let includesApple = apples.isSubset(of: trusted)
        var names: [String] = []
        for certificate in trusted where !includesApple || !apples.contains(certificate) {
            guard let name = (try? TrustAnchors(der: [certificate]))?.names, !names.contains(name) else {
                continue
            }
            names.append(name)
        }
        self.includesApple = includesApple
        excludesApple = apples.isDisjoint(with: trusted)
        others = names
        includesXcode = !xcode.isDisabled
    }

    /// Returns whether a certificate of a report is one of Apple's roots.
    static func isApples(_ certificate: CertificateSummary) -> Bool {
        appleFingerprints.contains(certificate.sha256Fingerprint)
    }

    private static let appleFingerprints = Set(
        TrustAnchors.apple.certificates.map { SHA256.hash(data: $0).hexadecimal(uppercase: true) })

    /// The names, for a sentence.
    package var names: String {
        let shown = others.prefix(Self.maxNames).joined(separator: ", ")
        let more = others.count - Self.maxNames
        let listed = more > 0 ? "\(shown) and \(more) more" : shown
        guard includesApple else { return listed }
        return others.isEmpty ? "Apple's roots" : "Apple's roots and \(listed)"
    }

    /// Whom the server trusts, as the page's header shows it.
    var sentence: String {
        let roots = includesApple ? "Trusts \(names)" : "Apple's roots replaced by \(names)"
        return includesXcode ? roots + ", and accepts data from Xcode" : roots
    }
}
#endif
