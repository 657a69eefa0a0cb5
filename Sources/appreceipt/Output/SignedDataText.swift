import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A report on signed data as text: the customer's products, what happened, the verdict, the checks, what to do, and the payload.
struct SignedDataText {
    let report: SignedDataReport
    let text: ReceiptText
    /// Whether the anchors are Apple's.
    let isApple: Bool

    private var terminal: Terminal { text.terminal }

    /// Writes a report.
    ///
    /// - Throws: `ExitCode` 1 if the report isn't valid.
    static func write(_ report: SignedDataReport, format: OutputFormat, isApple: Bool, now: Date) throws {
        switch format {
        case .json:
            try JSONOutput.write(json: report.withCommandLineRemedies.json)
        case .text:
            let text = Self(report: report, text: ReceiptText(terminal: .output, now: now), isApple: isApple)
            try Terminal.write(text.lines.joined(separator: "\n") + "\n")
        }
        guard report.isValid else { throw ExitCode(1) }
    }

    var lines: [String] {
        let sections = ReportSections(report: report, terminal: terminal, isApple: isApple)
        let owned = EntitlementText(terminal: terminal)
        let entitlements = report.entitlements?.all ?? []
        var lines: [String] = []
        if let data = try? report.result.get() {
            lines += entitlements.isEmpty ? [Self.absence(data)] : owned.products(entitlements)
            lines += [Terminal.escaped(SignedDataSummary(data).event)] + owned.reasons(entitlements) + [""]
        }
        lines += sections.verdict(report.kind.map { Self.title($0) } ?? "Signed data")
        if let signed = report.validationDate, signed > text.now {
            lines.append(terminal.styled("The date of signing is in the future. Check the clocks.", .warning))
        }
        lines += [""] + sections.checks
        if let payload = report.payload {
            lines += [""] + sections.unprovenWarning
            lines += members(payload, title: report.kind.map { Self.title($0) } ?? "Payload")
        }
        for (name, members) in report.nested.sorted(by: { $0.key < $1.key }) {
            let isProven = report.isValid ? "" : " (not proven)"
            lines += [""] + self.members(members, title: name + isProven)
        }
        if !report.certificates.isEmpty {
            lines +=
                [""]
                + text.certificates(
                    report.certificates, validationDate: report.validationDate, when: "the token was signed")
        }
        return lines
    }

    /// Why valid data shows no products.
    private static func absence(_ data: VerifiedSignedData) -> String {
        switch data {
        case .renewalInfo:
            "Renewal information alone proves no purchase. Pass it to 'appreceipt purchases' with a transaction."
        case .appTransaction: "An app transaction contains no in-app purchases."
        case .realtimeRequest: "A realtime request proves no purchase."
        case .notification where data.transaction == nil: "The notification contains no transaction."
        case .transaction, .notification: "No products: the transaction's environment, app or product isn't known."
        }
    }

    static func title(_ kind: SignedDataKind) -> String {
        switch kind {
        case .transaction: "Transaction"
        case .renewalInfo: "Renewal information"
        case .appTransaction: "App transaction"
        case .notification: "Notification"
        case .realtimeRequest: "Realtime request"
        }
    }

    private func members(_ object: JSONObject, title name: String) -> [String] {
        Self.members(text, object, name)
    }

    /// Every member as it was signed, with readable dates.
    static func members(_ text: ReceiptText, _ object: JSONObject, _ name: String) -> [String] {
        var table = Table(["", ""])
        for member in object.members {
            guard let inner = member.value.object else {
                table.add([member.name, value(text, member)])
                continue
            }
            for part in inner.members { table.add(["\(member.name).\(part.name)", value(text, part)]) }
        }
        return [text.title(name)] + table.lines(text.terminal)
    }

    private static func value(_ text: ReceiptText, _ member: JSONObject.Member) -> String {
        switch member.value {
        case .string(let string):
            // A nested token has about five kilobytes.
            return member.name.hasPrefix("signed") && string.count > 200
                ? "a token of \(string.utf8.count) bytes" : string
        case .number(let number) where member.name.hasSuffix("Date") && number.double.magnitude <= 8.64e15:
            return text.time(Date(timeIntervalSince1970: number.double / 1000))
        default:
            return String(decoding: member.value.text(), as: UTF8.self)
        }
    }
}
