#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData

/// A receipt or token in the list of a customer's evidence.
struct ListedEvidence: Sendable {
    /// The values by which two are the same. A receipt is about several purchases, so it has no original transaction.
    struct Identity: Sendable, Hashable {
        let kind: EvidenceKind
        let signedDate: Date
        let scope: AppScope
        let original: String?

        init(kind: EvidenceKind, signedDate: Date, scope: AppScope, original: String?) {
            self.kind = kind
            self.signedDate = signedDate
            self.scope = scope
            self.original = kind == .receipt ? nil : original
        }

        /// The purchase; nil for several or none.
        var purchase: ScopedOriginal? {
            original.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) }
        }
    }

    let identity: Identity
    /// When the server received it; nil if only the input contains it.
    var receivedDate: Date?
    /// The type of a notification.
    var notificationType: String?
    /// The subtype of a notification; nil if it has none.
    var notificationSubtype: String?

    func write(to writer: inout JSONWriter) {
        writer.member("kind", identity.kind.rawValue)
        writer.member("signedDate", identity.signedDate)
        writer.member("receivedDate", receivedDate)
        writer.member("notificationType", notificationType)
        writer.member("bundleIdentifier", identity.scope.app)
        writer.member("environment", identity.scope.environment.rawValue)
        writer.member("originalTransactionIdentifier", identity.original)
    }
}

extension ListedEvidence {
    /// What is stored about a purchase.
    init(_ sighting: EvidenceSighting, of purchase: ScopedOriginal) {
        identity = Identity(
            kind: sighting.kind, signedDate: Date(milliseconds: sighting.signed),
            scope: purchase.scope, original: purchase.originalTransactionIdentifier)
        receivedDate = Date(milliseconds: sighting.received)
        notificationType = sighting.notificationType
        notificationSubtype = sighting.notificationSubtype
    }
}

extension ListedEvidence.Identity: Comparable {
    /// Orders by date, then by what else distinguishes them, so that the list is the same every time.
    static func < (left: Self, right: Self) -> Bool {
        (left.signedDate, left.kind.rawValue, left.scope, left.original ?? "")
            < (right.signedDate, right.kind.rawValue, right.scope, right.original ?? "")
    }
}

extension CustomerEvidence {
    /// Returns the evidence, as it is listed.
    ///
    /// - Parameter scope: Its app and environment.
    func listed(in scope: AppScope) -> [ListedEvidence] {
        func listed(
            _ kind: EvidenceKind, _ signedDate: Date, of original: String?, claims: NotificationClaims? = nil
        ) -> ListedEvidence {
            ListedEvidence(
                identity: ListedEvidence.Identity(kind: kind, signedDate: signedDate, scope: scope, original: original),
                notificationType: claims?.notificationType?.rawValue, notificationSubtype: claims?.subtype?.rawValue)
        }
        var list = receipts.map { listed(.receipt, $0.creationDate, of: nil) }
        list += transactionReceipts.map(\.evidence).map {
            listed(.transactionReceipt, $0.signedDate, of: $0.transaction.original)
        }
        list += transactions.map { listed(.transaction, $0.signedDate, of: $0.original) }
        list += renewals.map { listed(.renewalInfo, $0.signedDate, of: $0.original) }
        list += notifications.map { listed(.notification, $0.signedDate, of: $0.original, claims: $0.claims) }
        return list
    }
}
#endif
