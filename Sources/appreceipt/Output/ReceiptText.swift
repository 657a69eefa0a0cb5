import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// The contents of receipts and transaction receipts, and certificates, as text.
struct ReceiptText {
    let terminal: Terminal
    /// The date for which certificates are shown as current or expired.
    let now: Date
    /// Whether every attribute of a receipt, or every value of a transaction receipt, is shown.
    var showsRaw = false

    /// Returns the contents of a receipt: its facts, the purchases, and the attributes if they are requested.
    func contents(of receipt: AppReceipt) -> [String] {
        let table = Table(facts: [
            ("Bundle identifier", receipt.bundleIdentifier),
            ("App version", receipt.appVersion),
            ("Original version", receipt.originalAppVersion),
            ("Environment", receipt.environment?.rawValue),
            ("Created", receipt.creationDate.map(DateText.second)),
            ("First bought", receipt.originalPurchaseDate.map(DateText.second)),
            ("Preordered", receipt.preorderDate.map(DateText.second)),
            ("Expires", receipt.expirationDate.map(DateText.second)),
            ("App Store id", receipt.appStoreIdentifier.flatMap(identifier)),
            ("Download id", receipt.downloadIdentifier.flatMap(identifier)),
            ("Age rating", receipt.ageRating),
            ("Platform", receipt.platformCode.map(platform)),
            ("Volume client", receipt.volumePurchaseClientName),
        ])
        return [title("Receipt")] + table.lines(terminal) + [""] + purchases(receipt.purchases)
            + (showsRaw ? attributes(of: receipt) : [])
    }

    /// Returns the contents of a transaction receipt: its facts, the purchase, and the values of the purchase info if
    /// they are requested.
    func contents(of receipt: TransactionReceipt) -> [String] {
        let table = Table(facts: [
            ("Bundle identifier", receipt.bundleIdentifier),
            ("App version", receipt.appVersion),
            ("Environment", receipt.environmentName),
            ("Purchased", DateText.second(receipt.purchaseDate)),
            ("App Store id", receipt.appStoreIdentifier.map { String($0) }),
            ("Signature", "version \(receipt.signatureVersion)"),
        ])
        return [title("Transaction receipt")] + table.lines(terminal) + [""] + purchases([receipt.purchase])
            + (showsRaw ? values(of: receipt) : [])
    }

    /// Returns the certificates, after an empty line; nothing if there are none.
    ///
    /// - Parameters:
    ///   - date: The date at which the certificates were validated.
    ///   - event: What happened at that date.
    func certificates(
        _ certificates: [CertificateSummary], validationDate date: Date?, when event: String
    ) -> [String] {
        guard !certificates.isEmpty else { return [] }
        let isProven = certificates.contains { $0.role == .anchor || $0.role == .xcode }
        var table = Table(columns: ["part", "name", "key", "valid from", "until", "then", "now"])
        for certificate in certificates {
            table.add([
                part(certificate.role, isProven: isProven), certificate.commonName, certificate.key,
                DateText.day(certificate.notBefore), DateText.day(certificate.notAfter),
                date.map { validity(of: certificate, at: $0) } ?? "", validity(of: certificate, at: now),
            ])
        }
        let validated = date.map { " (\(isProven ? "validated " : "")at \(DateText.second($0)), when \(event))" } ?? ""
        return ["", title("Certificates") + validated] + table.lines(terminal)
    }

    private func title(_ text: String) -> String { terminal.styled(text, as: .bold) }

    private func purchases(_ purchases: [InAppPurchase]) -> [String] {
        guard !purchases.isEmpty else { return [title("Purchases"), "  none"] }
        var table = Table(columns: [
            "product", "type", "transaction", "original", "bought (UTC)", "until (UTC)", "notes",
        ])
        for purchase in groupedByOriginal(purchases) {
            let original = purchase.originalTransactionIdentifier
            let quantity = purchase.quantity ?? 1
            table.add([
                (purchase.productIdentifier ?? "?") + (quantity > 1 ? " ×\(quantity)" : ""),
                purchase.productType.map(type) ?? "",
                purchase.transactionIdentifier ?? "?",
                original == purchase.transactionIdentifier ? "" : original ?? "",
                purchase.purchaseDate.map(DateText.minute) ?? "?",
                purchase.expirationDate.map(DateText.minute) ?? "",
                notes(purchase),
            ])
        }
        return [title("Purchases (\(purchases.count))")] + table.lines(terminal)
    }

    /// Every attribute of the receipt, then those of each purchase.
    private func attributes(of receipt: AppReceipt) -> [String] {
        var lines = [""] + attributes(receipt.attributes, title: "Attributes")
        for purchase in receipt.purchases {
            let name = "Attributes of transaction \(purchase.transactionIdentifier ?? "?")"
            lines += [""] + attributes(purchase.attributes, title: Terminal.escaped(Terminal.truncated(name)))
        }
        return lines
    }

    private func attributes(_ list: AttributeList, title name: String) -> [String] {
        var table = Table(columns: ["type", "name", "version", "bytes", "value"])
        for attribute in list {
            table.add([
                String(attribute.type), AttributeType(rawValue: attribute.type)?.description.name ?? "Unknown",
                String(attribute.version), String(attribute.value.count), Self.describe(attribute),
            ])
        }
        return [title(name)] + table.lines(terminal)
    }

    /// Every value of the purchase info.
    private func values(of receipt: TransactionReceipt) -> [String] {
        var table = Table(columns: ["key", "value"])
        for entry in receipt.info.entries { table.add([entry.key, entry.value]) }
        return ["", title("Purchase info")] + table.lines(terminal)
    }

    /// Returns the transactions of each original transaction together, newest first.
    private func groupedByOriginal(_ purchases: [InAppPurchase]) -> [InAppPurchase] {
        func original(_ purchase: InAppPurchase) -> String { purchase.original ?? "" }
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

    private func validity(of certificate: CertificateSummary, at date: Date) -> String {
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

    /// Returns an identifier in which zero means none.
    private func identifier(_ number: UInt64) -> String? { number == 0 ? nil : String(number) }

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

    /// Returns the transaction's own statement. Whether it is active isn't shown, because that depends on other
    /// transactions.
    private func notes(_ purchase: InAppPurchase) -> String {
        var words: [String] = []
        if let canceled = purchase.cancellationDate { words.append("canceled \(DateText.day(canceled))") }
        if purchase.isTrialPeriod == true { words.append("trial") }
        if purchase.isInIntroductoryOfferPeriod == true { words.append("introductory offer") }
        if let offer = purchase.promotionalOfferIdentifier { words.append("offer \(offer)") }
        return words.joined(separator: ", ")
    }

    /// Returns a raw value as text, a number or hex digits.
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
