import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A report on signed data for people: the verdict, each check with its reason, what to do, and what the data says.
struct SignedDataText {
    let report: SignedDataReport
    let text: ReceiptText
    /// Whether the anchors are Apple's.
    let isApple: Bool

    private var terminal: Terminal { text.terminal }

    var lines: [String] {
        var lines = [verdict] + afterwards.map { terminal.styled($0, .warning) } + ["", text.title("Checks")]
        lines += report.checks.map { CheckLine.text(terminal, $0) }
        var remedies: [String] = []
        for remedy in report.checks.compactMap(\.remedy) where !remedies.contains(remedy) { remedies.append(remedy) }
        if report.failure?.code == .rootNotTrusted { remedies.append("For test data, --root FILE names its root.") }
        if !remedies.isEmpty { lines += ["", text.title("What to do")] + remedies.map { "  " + $0 } }
        if let payload = report.payload {
            lines.append("")
            if !report.isSigned {
                lines.append(terminal.styled("What follows is what the token says; it is not proven.", .warning))
            }
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

    /// What a careless reader of the verdict should know: it says who signed, not what the customer has.
    private var afterwards: [String] {
        func date(_ name: String) -> Date? {
            guard let number = report.payload?[name]?.number, number.double.magnitude <= 8.64e15 else { return nil }
            return Date(timeIntervalSince1970: number.double / 1000)
        }
        var lines: [String] = []
        if let end = date("expiresDate"), end <= text.now { lines.append("The period ended \(text.time(end)).") }
        if let end = date("revocationDate") { lines.append("It was refunded or revoked \(text.time(end)).") }
        if let signed = report.validationDate, signed > text.now {
            lines.append("It was signed in the future: some clock is wrong.")
        }
        return lines
    }

    static func title(_ kind: SignedDataKind) -> String {
        switch kind {
        case .transaction: "Transaction"
        case .renewalInfo: "Renewal information"
        case .appTransaction: "App transaction"
        case .notification: "Notification"
        }
    }

    private var verdict: String {
        guard report.isValid else {
            let failure = report.firstFailure
            let message = Terminal.harmless(Terminal.short(failure?.message ?? "", to: 400))
            return terminal.styled("NOT VALID", .bad, .bold) + " – \(failure?.check.rawValue ?? ""): \(message)"
        }
        let what = report.kind.map { Self.title($0).lowercased() } ?? "data"
        let who =
            if report.certificates.contains(where: { $0.role == .xcode }) {
                "signed by Xcode; this proves nothing about a purchase"
            } else {
                isApple ? "Apple signed this \(what)" : "this \(what) is signed under the given root"
            }
        let names = report.checks.filter { $0.code == "not-requested" }.map(\.check).compactMap { check -> String? in
            switch check {
            case .bundleIdentifier: "bundle identifier"
            case .environment: "environment"
            case .appAppleIdentifier: "the app's number"
            case .deviceVerification: "device"
            default: nil
            }
        }
        let open = names.isEmpty ? "" : terminal.styled(" (not compared: \(names.joined(separator: ", ")))", .warning)
        return terminal.styled("VALID", .good, .bold) + " – " + who + open
    }

    private func members(_ object: JSONObject, title name: String) -> [String] {
        Self.members(text, object, name)
    }

    /// Every member as it was signed, dates in words.
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
            // A token in a token is five kilobytes that nobody reads.
            return member.name.hasPrefix("signed") && string.count > 200
                ? "a token of \(string.utf8.count) bytes" : string
        case .number(let number) where member.name.hasSuffix("Date") && number.double.magnitude <= 8.64e15:
            return text.time(Date(timeIntervalSince1970: number.double / 1000))
        default:
            return String(decoding: member.value.text(), as: UTF8.self)
        }
    }
}
