import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows what a token says, without verifying anything.
struct InspectSignedData {
    let format: OutputFormat
    let showsCertificates: Bool
    /// What the command line calls it.
    let name: String

    func show(_ token: String) throws {
        let report = UnverifiedSignedDataReport(token, certificates: showsCertificates)
        if format == .json {
            try Terminal.write(String(decoding: report.json.text(isPretty: true), as: UTF8.self) + "\n")
        }
        switch report.result {
        case .success(let data):
            if format == .text { try Terminal.write(lines(data).joined(separator: "\n") + "\n") }
        case .failure(let error):
            // What is wrong may not concern what it says.
            if format == .text, let payload = report.payload {
                let text = ReceiptText(terminal: .output, now: Date())
                let lines = SignedDataText.members(text, payload, "Payload (NOT VERIFIED, of no good token)")
                try Terminal.write(lines.joined(separator: "\n") + "\n")
            }
            Terminal.complain("\(name): \(error.description)")
            Terminal.complain(error.remedy)
            throw ExitCode(1)
        }
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
        if showsCertificates { lines += [""] + text.certificates(data.certificates, validationDate: nil) }
        return lines
    }
}
