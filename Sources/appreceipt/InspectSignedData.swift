import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows the contents of a token, without verifying anything.
struct InspectSignedData {
    let format: OutputFormat
    let showsCertificates: Bool
    /// The name of the input, for messages.
    let name: String

    func show(_ token: String) throws {
        let report = UnverifiedSignedDataReport(
            token, certificates: showsCertificates, remedy: CommandLineRemedies.remedy)
        if format == .json {
            try JSONOutput.write(json: report.json)
        }
        switch report.result {
        case .success(let data):
            if format == .text { try Terminal.write(lines(data).joined(separator: "\n") + "\n") }
        case .failure(let error):
            // The payload may be readable although another part is malformed.
            if format == .text, let payload = report.payload {
                let text = ReceiptText(terminal: .output, now: Date())
                let lines = SignedDataText.members(text, payload, "Payload (NOT VERIFIED, of a malformed token)")
                try Terminal.write(lines.joined(separator: "\n") + "\n")
            }
            Terminal.printError(error, about: name)
            throw ExitCode(1)
        }
    }

    private func lines(_ data: UnverifiedSignedData) -> [String] {
        let text = ReceiptText(terminal: .output, now: Date())
        let members = SignedDataText.members
        var lines = [
            Terminal.output.styled("NOT VERIFIED", .warning, .bold)
                + " – the contents are unproven; nothing was checked.",
            "",
        ]
        lines += members(text, data.claims.members, data.kind.map { SignedDataText.title($0) } ?? "Payload")
        for token in data.nested {
            let title = token.kind.map { SignedDataText.title($0) } ?? "Payload"
            lines += [""] + members(text, token.claims.members, "\(title), nested")
        }
        if showsCertificates { lines += [""] + text.certificates(data.certificates, validationDate: nil) }
        return lines
    }
}
