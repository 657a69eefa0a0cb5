import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// Payloads of signed data as text.
struct SignedDataText {
    let terminal: Terminal

    /// Returns the payload of a report, and the payloads of its nested tokens; empty if it couldn't be read.
    func contents(of report: SignedDataReport) -> [String] {
        guard let payload = report.payload else { return [] }
        let isProven = report.isValid ? "" : " (not proven)"
        return members(of: payload, title: Self.title(report.kind))
            + report.nested.sorted { $0.key < $1.key }.flatMap { name, members in
                [""] + self.members(of: members, title: name + isProven)
            }
    }

    /// Returns the payload of a token, and the payloads of its nested tokens. Nothing is verified.
    func contents(of data: UnverifiedSignedData) -> [String] {
        members(of: data.claims.members, title: Self.title(data.kind))
            + data.nested.flatMap { token in
                [""] + members(of: token.claims.members, title: "\(Self.title(token.kind)), nested")
            }
    }

    /// Every member as it was signed, with readable dates.
    func members(of object: AppStoreJSON.Object, title: String) -> [String] {
        var table = Table(columns: ["", ""])
        for member in object.members {
            guard let inner = member.value.object else {
                table.add([member.name, value(member.value, of: member.name)])
                continue
            }
            for part in inner.members {
                table.add(["\(member.name).\(part.name)", value(part.value, of: part.name)])
            }
        }
        return [terminal.styled(title, as: .bold)] + table.lines(terminal)
    }

    /// Returns the claims of unsigned data. Nothing is verified.
    func contents(of claims: ClaimedPurchases) -> [String] {
        let title = claims.isResponse ? "Response of verifyReceipt" : "Transaction without a signature"
        let facts = Table(facts: [
            ("Status", claims.status.map { String($0) }), ("Environment", claims.environment),
            ("App", claims.bundleIdentifier),
        ])
        var purchases = Table(columns: ["Product", "Transaction", "Original", "Bought", "Expires", "Canceled"])
        for purchase in claims.purchases {
            purchases.add(
                [
                    purchase.productIdentifier, purchase.transactionIdentifier, purchase.originalTransactionIdentifier,
                    purchase.purchaseDate.map(DateText.minute), purchase.expirationDate.map(DateText.minute),
                    purchase.cancellationDate.map(DateText.minute),
                ].map { $0 ?? "" })
        }
        return [terminal.styled(title, as: .bold)] + facts.lines(terminal)
            + ["", terminal.styled("Claimed purchases (\(claims.purchases.count))", as: .bold)]
            + purchases.lines(terminal)
    }

    private func value(_ value: AppStoreJSON, of name: String) -> String {
        switch value {
        case .string(let string):
            // A nested token has about five kilobytes.
            return name.hasPrefix("signed") && string.count > 200
                ? "a token of \(string.utf8.count) bytes" : string
        case .number(let number) where name.hasSuffix("Date") && number.double.magnitude <= 8.64e15:
            return DateText.second(Date(timeIntervalSince1970: number.double / 1000))
        default:
            return String(decoding: value.text(), as: UTF8.self)
        }
    }

    /// Returns the title for the kind of data; "Payload" if it isn't known.
    static func title(_ kind: SignedDataKind?) -> String {
        switch kind {
        case .transaction: "Transaction"
        case .renewalInfo: "Renewal information"
        case .appTransaction: "App transaction"
        case .notification: "Notification"
        case .realtimeRequest: "Realtime request"
        case nil: "Payload"
        }
    }

    /// Returns the reason that valid data shows no products.
    static func absence(_ data: VerifiedSignedData) -> String {
        switch data {
        case .renewalInfo:
            "Renewal information alone proves no purchase. Pass it to 'appreceipt purchases' with a transaction."
        case .appTransaction: "An app transaction contains no in-app purchases."
        case .realtimeRequest: "A realtime request proves no purchase."
        case .notification where data.transaction == nil: "The notification contains no transaction."
        case .transaction, .notification: "No products: the transaction's environment, app or product isn't known."
        }
    }
}
