import AppReceiptKit
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says whether Apple signed a receipt, and why not.",
        discussion: """
            Every check that is not given what to compare with is reported as skipped. Certificates are judged at the \
            receipt's creation date, so that a genuine receipt stays valid after they expire.

            Examples:
              appreceipt validate receipt --bundle-id com.example.app --environment production
              appreceipt validate My.app --bundle-id com.example.app --device-id f8:ff:c2:1e:91:82
              appreceipt validate Samples/volume-purchase.receipt --root Samples/root.pem
              appreceipt validate - --format json < receipt
            """)

    @Argument(help: "A receipt file, an .app bundle, or - for standard input.")
    var receipt: String

    @Option(help: "The bundle identifier that the receipt must be for.")
    var bundleID: String?

    @Option(help: "The version that it must be for (iOS: CFBundleVersion, macOS: CFBundleShortVersionString).")
    var appVersion: String?

    @Option(help: "The version in which the app must have been bought first.")
    var originalAppVersion: String?

    @Option(help: "An environment that is accepted: production, sandbox or xcode. May be repeated.")
    var environment: [ReceiptEnvironment.Base] = []

    @Option(
        name: .customLong("device-id"),
        help: """
            A device that it may be for: a UUID, a MAC address, 12 or 32 hex digits, or base64 of 6 or 16 bytes. May be \
            repeated, for a Mac with several network interfaces.
            """,
        transform: Convert.device)
    var devices: [DeviceIdentifier] = []

    @Option(
        help: ArgumentHelp(
            "A root certificate (DER or PEM) to trust in place of Apple's. May be repeated.", valueName: "file"))
    var root: [String] = []

    @Option(
        help: ArgumentHelp(
            "A certificate (DER or PEM) of Xcode's local testing to trust, for receipts that say that they come from Xcode.",
            valueName: "file"))
    var trustXcode: String?

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Every attribute with its raw bytes too.")
    var raw = false

    func run() throws {
        let verifier = ReceiptVerifier(anchors: try anchors(), xcode: try xcode())
        let expectations = Expectations(
            bundleIdentifier: bundleID.map { .identifier($0) } ?? .anyBundle,
            environments: environment.isEmpty ? .anyEnvironment : .only(Set(environment)),
            appVersion: appVersion, originalAppVersion: originalAppVersion,
            devices: devices.isEmpty ? .anyDevice : .oneOf(devices))
        let now = Date()
        let report = verifier.report(source: try FileInput.receipt(receipt), expecting: expectations, now: now)
        switch format {
        case .json:
            try JSONOutput.write(report, raw: raw)
        case .text:
            let text = ReportText(
                report: report, text: ReceiptText(terminal: .output, now: now), isApple: root.isEmpty, showsRaw: raw)
            try Terminal.write(text.lines.joined(separator: "\n") + "\n")
        }
        guard report.isValid else { throw ExitCode(1) }
    }

    private func anchors() throws -> TrustAnchors {
        guard !root.isEmpty else { return .apple }
        return try TrustAnchors(certificates: root.map { try Self.certificate("--root", $0) })
    }

    private func xcode() throws -> XcodeTrust {
        guard let trustXcode else { return .none }
        return try XcodeTrust(certificates: [Self.certificate("--trust-xcode", trustXcode)])
    }

    /// A certificate file that can be used; one that cannot is wrong usage.
    private static func certificate(_ option: String, _ path: String) throws -> [UInt8] {
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
