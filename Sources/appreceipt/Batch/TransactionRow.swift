import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The members of a row of `--rows transactions`. They come from verified receipts and tokens only.
///
/// A member that the receipt or token doesn't contain is absent.
struct TransactionRow {
    private(set) var members: AppStoreJSON.Object

    /// - Parameter source: The kind of receipt or token.
    private init(source: String, signedDate: Date? = nil) {
        members = ["source": .string(source)]
        set(.signedDate, .date(signedDate))
    }

    /// Returns the rows of a receipt's purchases, in their order; one without a transaction if there are none.
    static func rows(of receipt: VerifiedReceipt) -> [AppStoreJSON.Object?] {
        let row = TransactionRow(source: "receipt", signedDate: receipt.creationDate)
        guard !receipt.purchases.isEmpty else { return [row.members] }
        return receipt.purchases.map { purchase in row.with { $0.add(purchase) } }
    }

    /// Returns the row of a transaction receipt.
    static func rows(of receipt: VerifiedTransactionReceipt) -> [AppStoreJSON.Object?] {
        // It contains no date of signing.
        [TransactionRow(source: "transaction-receipt").with { $0.add(receipt.receipt.purchase) }]
    }

    /// Returns the row of a token. Only transactions, and notifications with one, have values of a transaction.
    static func rows(of data: VerifiedSignedData) -> [AppStoreJSON.Object?] {
        var row: TransactionRow
        switch data {
        case .transaction(let data): row = TransactionRow(data, kind: .transaction)
        case .renewalInfo(let data): row = TransactionRow(data, kind: .renewalInfo)
        case .appTransaction(let data): row = TransactionRow(data, kind: .appTransaction)
        case .realtimeRequest(let data): row = TransactionRow(data, kind: .realtimeRequest)
        case .notification(let data):
            row = TransactionRow(data.notification, kind: .notification)
            row.set(.notificationType, .text(data.claims.notificationType?.rawValue))
            row.set(.notificationSubtype, .text(data.claims.subtype?.rawValue))
            row.set(.notificationUUID, .text(data.claims.notificationUUID))
            row.set(.payload, data.payload)
        }
        if let transaction = data.transaction { row.add(transaction) }
        return [row.members]
    }

    private init(_ data: VerifiedData<some SignedClaims>, kind: SignedDataKind) {
        self.init(source: kind.rawValue, signedDate: data.signedDate)
        set(.payload, .object(data.claims.members))
    }

    private func with(_ change: (inout TransactionRow) -> Void) -> AppStoreJSON.Object {
        var copy = self
        change(&copy)
        return copy.members
    }

    private mutating func set(_ field: ResultField, _ value: AppStoreJSON) {
        if value != .null { members[field.rawValue] = value }
    }

    private mutating func set(_ field: ResultField, number: Int64?) {
        if let number { set(field, .number(AppStoreJSON.Number(number))) }
    }

    private mutating func set(_ field: ResultField, _ truth: Bool?) {
        if let truth { set(field, .boolean(truth)) }
    }

    private mutating func add(_ purchase: InAppPurchase) {
        add(AppStoreTransaction(purchase))
        // A receipt doesn't tell which offer a trial belongs to.
        if let offer = purchase.promotionalOfferIdentifier {
            set(.offerType, .string(OfferType.promotional.name))
            set(.offerIdentifier, .string(offer))
        } else if purchase.isInIntroductoryOfferPeriod == true {
            set(.offerType, .string(OfferType.introductory.name))
        }
        set(.payload, AppStoreJSON { purchase.write(to: &$0, attributes: false) })
    }

    private mutating func add(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        add(AppStoreTransaction(transaction))
        if let price = claims.price {
            set(.price, .string(Self.decimal(milliunits: price)))
            set(.priceMilliunits, number: price)
        }
        set(.currency, .text(claims.currency))
        set(.storefront, .text(claims.storefront))
        set(.offerType, .text(claims.offerType?.name))
        set(.offerIdentifier, .text(claims.offerIdentifier))
        set(.offerDiscountType, .text(claims.offerDiscountType?.rawValue))
        set(.offerPeriod, .text(claims.offerPeriod))
        set(.transactionReason, .text(claims.reason?.rawValue))
    }

    /// Adds the values that receipts and tokens have.
    private mutating func add(_ transaction: AppStoreTransaction) {
        set(.productIdentifier, .text(transaction.productIdentifier))
        set(.kind, .string(transaction.kind.rawValue))
        set(.transactionIdentifier, .text(transaction.transactionIdentifier))
        set(.originalTransactionIdentifier, .text(transaction.originalTransactionIdentifier))
        set(.purchaseDate, .date(transaction.purchaseDate))
        set(.originalPurchaseDate, .date(transaction.originalPurchaseDate))
        set(.expirationDate, .date(transaction.expirationDate))
        set(.periodSeconds, number: transaction.periodSeconds)
        set(.quantity, number: transaction.quantity.map { Int64($0) })
        set(.isTrialPeriod, transaction.isTrialPeriod)
        set(.revocationDate, .date(transaction.cancellationDate))
        set(.revocationReason, number: transaction.revocation?.reason)
        set(.revocationType, .text(transaction.revocation?.type))
        set(.refundedPercentage, transaction.refundedPercentage.map { .number($0) } ?? .null)
        set(.isUpgraded, transaction.isUpgraded)
        set(.ownership, .text(transaction.ownership?.rawValue))
        set(.subscriptionGroupIdentifier, .text(transaction.subscriptionGroupIdentifier))
        set(.webOrderLineItemIdentifier, .text(transaction.webOrderLineItemIdentifier.map { String($0) }))
        set(.appAccountToken, .text(transaction.appAccountToken?.uuidString.lowercased()))
    }

    /// Returns thousandths of a unit as a decimal number with three digits after the point, such as 9.990.
    static func decimal(milliunits: Int64) -> String {
        let (units, rest) = milliunits.magnitude.quotientAndRemainder(dividingBy: 1000)
        let digits = String(rest)
        return (milliunits < 0 ? "-" : "") + "\(units)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

extension AppStoreTransaction {
    /// The length of the period; nil for other purchases, and for copies that were restored after its end.
    fileprivate var periodSeconds: Int64? {
        guard let purchaseDate, let expirationDate, purchaseDate <= expirationDate else { return nil }
        return Int64(exactly: expirationDate.timeIntervalSince(purchaseDate).rounded())
    }
}

extension OfferType {
    /// The name in rows; the number of a type that isn't known.
    fileprivate var name: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .code: "code"
        case .winBack: "winBack"
        default: String(rawValue)
        }
    }
}

extension VerifiedNotification {
    /// The members of the payload, with the verified payloads of the tokens in it in place of the tokens.
    fileprivate var payload: AppStoreJSON {
        let payloads = [
            "signedTransactionInfo": transaction?.claims.members, "signedRenewalInfo": renewalInfo?.claims.members,
            "signedAppTransactionInfo": appTransaction?.claims.members,
        ]
        var members = claims.members
        for subject in ["data", "appData"] {
            guard var object = members[subject]?.object else { continue }
            for (name, payload) in payloads {
                guard let payload, object[name] != nil else { continue }
                object[name] = .object(payload)
            }
            members[subject] = .object(object)
        }
        return .object(members)
    }
}
