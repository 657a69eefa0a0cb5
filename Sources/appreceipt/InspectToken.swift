import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows what a token says, without verifying anything.
struct InspectToken {
    let format: OutputFormat
    let showsCertificates: Bool
    /// What the command line calls it.
    let name: String

    func show(_ token: String) throws {
        let data: UnverifiedSignedData
        do throws(ReceiptError) {
            data = try UnverifiedSignedData(parsing: token)
        } catch {
            // What is wrong may not concern what it says.
            let open = SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
            let payload = SignedDataVerifier().report(token, expecting: open).payload
            switch format {
            case .json: try write(Self.unreadable(error, payload))
            case .text:
                if let payload {
                    let text = ReceiptText(terminal: .output, now: Date())
                    let lines = SignedDataText.members(text, payload, "Payload (NOT VERIFIED, of no good token)")
                    try Terminal.write(lines.joined(separator: "\n") + "\n")
                }
            }
            Terminal.complain("\(name): \(error.description)")
            Terminal.complain(error.remedy)
            throw ExitCode(1)
        }
        switch format {
        case .json: try write(json(data))
        case .text: try Terminal.write(lines(data).joined(separator: "\n") + "\n")
        }
    }

    private func write(_ value: JSONValue) throws {
        try Terminal.write(String(decoding: value.text(isPretty: true), as: UTF8.self) + "\n")
    }

    /// `{"verified": false, "kind", "payload", "nested": [{"kind", "payload"}], "certificates"}`
    private func json(_ data: UnverifiedSignedData) throws -> JSONValue {
        var object: JSONObject = [
            "verified": false, "kind": Self.kind(data), "payload": .object(data.claims.members),
            "nested": .array(data.nested.map { ["kind": Self.kind($0), "payload": .object($0.claims.members)] }),
        ]
        if showsCertificates {
            let encoded = try JSONEncoder().encode(data.certificates)
            object["certificates"] = try? JSONValue(parsing: Array(encoded)[...])
        }
        return .object(object)
    }

    private static func kind(_ data: UnverifiedSignedData) -> JSONValue {
        data.kind.map { .string($0.rawValue) } ?? .null
    }

    private static func unreadable(_ error: ReceiptError, _ payload: JSONObject?) -> JSONValue {
        [
            "verified": false, "payload": payload.map { .object($0) } ?? .null,
            "failure": [
                "check": .string(error.stage.rawValue), "code": .string(error.code.rawValue),
                "message": .string(error.message),
            ],
        ]
    }

    private func lines(_ data: UnverifiedSignedData) -> [String] {
        let text = ReceiptText(terminal: .output, now: Date())
        let shown = SignedDataText.members
        var lines = [
            Terminal.output.styled("NOT VERIFIED", .warning, .bold)
                + " – this is what the token says; nothing was checked.",
            "",
        ]
        lines += shown(text, data.claims.members, data.kind.map { SignedDataText.title($0) } ?? "Payload")
        for token in data.nested {
            let title = token.kind.map { SignedDataText.title($0) } ?? "Payload"
            lines += [""] + shown(text, token.claims.members, "\(title) inside")
        }
        if showsCertificates { lines += [""] + text.certificates(data.certificates, judgedAt: nil) }
        return lines
    }
}
