import AppReceiptKit
import ArgumentParser

/// Whom to trust.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A root certificate (DER or PEM) to trust in place of Apple's. May be repeated; 'apple' names Apple's own, so that both are trusted.",
            valueName: "file"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp(
            "A certificate (DER or PEM) of Xcode's local testing to trust, for receipts that say that they come from Xcode.",
            valueName: "file"))
    var trustXcode: String?

    /// The name of Apple's own roots.
    private static let apple = "apple"

    /// Whether only Apple's roots are trusted.
    var trustsOnlyApple: Bool { root.allSatisfy { $0 == Self.apple } }

    func verifier() throws -> ReceiptVerifier { ReceiptVerifier(anchors: try anchors(), xcode: try xcode()) }

    func anchors() throws -> TrustAnchors { try Self.anchors(root) }

    /// The anchors that these files contain. Without any, Apple's roots.
    static func anchors(_ root: [String]) throws -> TrustAnchors {
        guard root.contains(where: { $0 != Self.apple }) else { return .apple }
        let named = try root.filter { $0 != Self.apple }.map { try Self.certificate("--root", $0) }
        return try TrustAnchors(
            certificates: named + (root.contains(Self.apple) ? TrustAnchors.apple.certificates : []))
    }

    func xcode() throws -> XcodeTrust {
        guard let trustXcode else { return .disabled }
        return try XcodeTrust(certificates: [Self.certificate("--trust-xcode", trustXcode)])
    }

    /// A certificate file that can be used; one that cannot is wrong usage.
    static func certificate(_ option: String, _ path: String) throws -> [UInt8] {
        let bytes = try FileInput.file(path)
        do throws(ReceiptError) {
            _ = try TrustAnchors(certificates: [bytes])
            return bytes
        } catch {
            Terminal.complain("\(option) \(path): \(error.message) \(error.remedy)")
            throw ExitCode(64)
        }
    }
}
