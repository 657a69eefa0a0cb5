import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A receipt, its purchases and certificates as text.
struct ReceiptText {
    let terminal: Terminal
    /// The date for which certificates are shown as current or expired.
    let now: Date

    func title(_ text: String) -> String { terminal.styled(text, .bold) }

    func receipt(_ receipt: AppReceipt) -> [String] {
        var table = Table(["", ""])
        func row(_ name: String, _ value: String?) { if let value { table.add([name, value]) } }
        row("Bundle identifier", receipt.bundleIdentifier)
        row("App version", receipt.appVersion)
        row("Original version", receipt.originalAppVersion)
        row("Environment", receipt.environment?.rawValue)
        row("Created", receipt.creationDate.map(time))
        row("First bought", receipt.originalPurchaseDate.map(time))
        row("Preordered", receipt.preorderDate.map(time))
        row("Expires", receipt.expirationDate.map(time))
        row("App Store id", receipt.appStoreIdentifier.flatMap { $0 == 0 ? nil : String($0) })
        row("Download id", receipt.downloadIdentifier.flatMap { $0 == 0 ? nil : String($0) })
        row("Age rating", receipt.ageRating)
        row("Platform", receipt.platformCode.map(platform))
        row("Volume client", receipt.volumePurchaseClientName)
        return [title("Receipt")] + table.lines(terminal)
    }

    func purchases(_ purchases: [InAppPurchase]) -> [String] {
        guard !purchases.isEmpty else { return [title("Purchases"), "  none"] }
        var table = Table(["product", "type", "transaction", "original", "bought (UTC)", "until (UTC)", "notes"])
        for purchase in groupedByOriginal(purchases) {
            let original = purchase.originalTransactionIdentifier
            table.add([
                (purchase.productIdentifier ?? "?")
                    + ((purchase.quantity ?? 1) > 1 ? " ×\(purchase.quantity ?? 1)" : ""),
                purchase.productType.map(type) ?? "",
                purchase.transactionIdentifier ?? "?",
                original == purchase.transactionIdentifier ? "" : original ?? "",
                purchase.purchaseDate.map(minute) ?? "?",
                purchase.expirationDate.map(minute) ?? "",
                notes(purchase),
            ])
        }
        return [title("Purchases (\(purchases.count))")] + table.lines(terminal)
    }

    /// - Parameters:
    ///   - date: The date at which the certificates were validated.
    ///   - event: What happened at that date.
    func certificates(
        _ certificates: [CertificateSummary], validationDate date: Date?, when event: String = "the receipt was created"
    ) -> [String] {
        guard !certificates.isEmpty else { return [] }
        let isProven = certificates.contains { $0.role == .anchor || $0.role == .xcode }
        var table = Table(["part", "name", "key", "valid from", "until", "then", "now"])
        for certificate in certificates {
            table.add([
                part(certificate.role, isProven: isProven), certificate.commonName, certificate.key,
                day(certificate.notBefore),
                day(certificate.notAfter), date.map { validity(certificate, $0) } ?? "", validity(certificate, now),
            ])
        }
        let validated = date.map { " (\(isProven ? "validated " : "")at \(time($0)), when \(event))" } ?? ""
        return [title("Certificates") + validated] + table.lines(terminal)
    }

    /// Every attribute of the receipt, then those of each purchase.
    func attributes(of receipt: AppReceipt) -> [String] {
        var lines = [""] + attributes(receipt.attributes, title: "Attributes")
        for purchase in receipt.purchases {
            let name = "Attributes of transaction \(purchase.transactionIdentifier ?? "?")"
            lines += [""] + attributes(purchase.attributes, title: Terminal.escaped(Terminal.truncated(name)))
        }
        return lines
    }

    private func attributes(_ list: AttributeList, title name: String) -> [String] {
        var table = Table(["type", "name", "version", "bytes", "value"])
        for attribute in list {
            table.add([
                String(attribute.type), AttributeType(rawValue: attribute.type)?.description.name ?? "Unknown",
                String(attribute.version), String(attribute.value.count), Self.describe(attribute),
            ])
        }
        return [title(name)] + table.lines(terminal)
    }

    /// 2024-07-02 15:04:05 UTC
    func time(_ date: Date) -> String {
        let text = ReceiptDate.string(from: date)
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8) + " UTC"
    }

    /// 2024-07-02 15:04
    private func minute(_ date: Date) -> String { String(time(date).prefix(16)) }

    /// The transactions of each original transaction together, newest first.
    private func groupedByOriginal(_ purchases: [InAppPurchase]) -> [InAppPurchase] {
        func original(_ purchase: InAppPurchase) -> String {
            purchase.originalTransactionIdentifier ?? purchase.transactionIdentifier ?? ""
        }
        func date(_ purchase: InAppPurchase) -> Date { purchase.purchaseDate ?? .distantPast }
        var newest: [String: Date] = [:]
        for purchase in purchases {
            newest[original(purchase)] = max(newest[original(purchase)] ?? date(purchase), date(purchase))
        }
        func key(_ purchase: InAppPurchase) -> (Date, String, Date) {
            (newest[original(purchase)] ?? .distantPast, original(purchase), date(purchase))
        }
        return purchases.sorted { key($0) > key($1) }
    }

    private func day(_ date: Date) -> String { String(ReceiptDate.string(from: date).prefix(10)) }

    private func validity(_ certificate: CertificateSummary, _ date: Date) -> String {
        date < certificate.notBefore ? "not yet" : date > certificate.notAfter ? "expired" : "in date"
    }

    private func part(_ role: CertificateSummary.Role, isProven: Bool) -> String {
        switch role {
        case .signer: isProven ? "signer" : "signer, not proven"
        case .intermediate: isProven ? "intermediate" : "intermediate, not proven"
        case .anchor: "trusted root"
        case .xcode: "Xcode, trusted"
        case .unused: isProven ? "not used" : "embedded, not proven"
        }
    }

    private func platform(_ code: UInt64) -> String {
        switch code {
        case 2: "macOS"
        case 3: "iOS"
        default: "code \(code)"
        }
    }

    private func type(_ type: InAppPurchase.ProductType) -> String {
        switch type {
        case .nonConsumable: "non-consumable"
        case .consumable: "consumable"
        case .nonRenewingSubscription: "non-renewing"
        case .autoRenewableSubscription: "subscription"
        case .freeSubscription: "free subscription"
        default: "type \(type.rawValue)"
        }
    }

    /// What the transaction states about itself. Whether it is active isn't shown, because that depends on other transactions.
    private func notes(_ purchase: InAppPurchase) -> String {
        var words: [String] = []
        if let canceled = purchase.cancellationDate { words.append("canceled \(day(canceled))") }
        if purchase.isTrialPeriod == true { words.append("trial") }
        if purchase.isInIntroductoryOfferPeriod == true { words.append("introductory offer") }
        if let offer = purchase.promotionalOfferIdentifier { words.append("offer \(offer)") }
        return words.joined(separator: ", ")
    }

    /// A raw value as text, a number or hex digits.
    private static func describe(_ attribute: ReceiptAttribute) -> String {
        let list = AttributeList([attribute])
        if AttributeType(rawValue: attribute.type)?.description.format == .bytes { return hex(attribute.value) }
        if let text = list.text(ofType: attribute.type) { return "\"\(text)\"" }
        if let number = list.number(ofType: attribute.type) { return String(number) }
        if attribute.value.count == 2, attribute.value.last == 0 { return "(empty)" }
        return hex(attribute.value)
    }

    private static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = bytes.prefix(24).hexadecimal(separator: " ")
        return bytes.count > 24 ? digits + " …" : digits
    }
}
