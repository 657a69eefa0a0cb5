import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

/// The trusted certificates. Shared by every subcommand that verifies.
struct TrustOptions: ParsableArguments {
    @Option(
        help: .file(
            "A root certificate (DER or PEM) to trust instead of Apple's. May be repeated; 'apple' means Apple's "
                + "roots, to trust both."),
        completion: .file())
    var root: [String] = []

    @Option(
        help: .file(
            "A certificate (DER or PEM) of Xcode's local testing to trust, for data that claims to come from Xcode."),
        completion: .file())
    var trustXcode: String?

    @Option(
        help: .file(
            "A certificate (DER or PEM) that issued signers of transaction receipts, in addition to Apple's. Only for "
                + "test data. May be repeated."),
        completion: .file())
    var transactionIntermediate: [String] = []

    /// The value of `--root` that means Apple's roots.
    private static let apple = "apple"

    /// Whether only Apple's roots are trusted.
    var trustsOnlyApple: Bool { root.allSatisfy { $0 == Self.apple } }

    /// Returns the verifiers of receipts and of signed data. The files are read once, because they may be pipes.
    func verifiers() throws -> (receipts: ReceiptVerifier, signedData: SignedDataVerifier) {
        let (anchors, xcode) = (try Self.anchors(root), try Self.xcode(trustXcode))
        return (
            ReceiptVerifier(
                anchors: anchors, xcode: xcode,
                transactionReceipts: try Self.transactionReceipts(transactionIntermediate)),
            SignedDataVerifier(anchors: anchors, xcode: xcode)
        )
    }

    /// Returns the anchors in these files. Without files, Apple's roots.
    static func anchors(_ root: [String]) throws -> TrustAnchors {
        let files = root.filter { $0 != Self.apple }
        guard !files.isEmpty else { return .apple }
        let certificates = try files.map { try Self.certificate($0, option: "--root") }
        return try TrustAnchors(
            files: certificates + (root.contains(Self.apple) ? TrustAnchors.apple.certificates : []))
    }

    /// Trust in the Xcode certificate in a file. Without a file, none.
    static func xcode(_ file: String?) throws -> XcodeTrust {
        guard let file else { return .disabled }
        return try XcodeTrust(files: [certificate(file, option: "--trust-xcode")])
    }

    /// Apple's intermediates of transaction receipts, and those in these files.
    static func transactionReceipts(_ files: [String]) throws -> TransactionReceiptTrust {
        try TransactionReceiptTrust(files: files.map { try certificate($0, option: "--transaction-intermediate") })
    }

    /// Returns the bytes of a certificate file.
    ///
    /// - Throws: `ExitCode` 66 if it can't be read, 64 if it isn't a certificate that can be trusted.
    static func certificate(_ path: String, option: String) throws -> [UInt8] {
        let bytes = try InputReader.file(path, named: "\(option) \(path)")
        do throws(ReceiptError) {
            _ = try TrustAnchors(files: [bytes])
            return bytes
        } catch {
            throw UsageError.exit("\(option) \(path): \(CommandLineRemedies.text(for: error))")
        }
    }
}
