import AppReceiptKit
import ArgumentParser

/// Whom to trust.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A root certificate (DER or PEM) to trust in place of Apple's. May be repeated.", valueName: "file"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp(
            "A certificate (DER or PEM) of Xcode's local testing to trust, for receipts that say that they come from Xcode.",
            valueName: "file"))
    var trustXcode: String?

    func verifier() throws -> ReceiptVerifier { ReceiptVerifier(anchors: try anchors(), xcode: try xcode()) }

    func anchors() throws -> TrustAnchors {
        guard !root.isEmpty else { return .apple }
        return try TrustAnchors(certificates: root.map { try Self.certificate("--root", $0) })
    }

    func xcode() throws -> XcodeTrust {
        guard let trustXcode else { return .none }
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
