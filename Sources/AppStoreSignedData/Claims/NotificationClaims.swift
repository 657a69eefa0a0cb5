public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport

/// The claims of an App Store server notification. Source: Apple, App Store Server Notifications V2
/// (responseBodyV2DecodedPayload).
///
/// The transaction, renewal information or app transaction in it are separate tokens. ``VerifiedNotification`` contains
/// their verified values.
public struct NotificationClaims: SignedClaims {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The type of event.
    public let notificationType: NotificationType?
    /// The subtype of the event; nil if absent or empty.
    public let subtype: NotificationSubtype?
    /// The identifier, which is the same if the notification is sent again.
    public let notificationUUID: String?
    /// The version of the notification's format, `2.0`.
    public let version: String?
    /// The date this copy was signed.
    public let signedDate: Date?
    /// The subject, one of four kinds; nil if the notification contains none of them.
    public let subject: Subject?
    /// The seats that were given up, with or without a subject.
    public let unclaimInfo: UnclaimInfo?

    /// The app.
    public var bundleIdentifier: String? { app?.bundleIdentifier }
    /// The app's App Store identifier, if the data contains it.
    public var appAppleIdentifier: UInt64? { app?.appAppleIdentifier }
    /// The environment.
    public var environment: SignedDataEnvironment? { app?.environment }

    private var app: App? { subject?.app ?? unknownApp ?? unclaimInfo?.app }
    /// The app that is named beside or in members that aren't known yet.
    private let unknownApp: App?
    /// Whether the notification is about something other than the known subjects: one that isn't known yet, or seats
    /// alone. It may lack the app and the environment.
    package var hasOtherSubject: Bool {
        subject == nil && members.members.contains { $0.value != .null && !Self.commonMembers.contains($0.name) }
    }

    /// The members that aren't subjects.
    private static let commonMembers: Set = [
        "notificationType", "subtype", "notificationUUID", "version", "signedDate",
    ]

    /// The state of the subscription at the date of signing.
    public var status: SubscriptionStatus? { if case .data(let data) = subject { data.status } else { nil } }

    /// The subject of a notification.
    public enum Subject: Sendable, Hashable {
        /// A transaction, subscription, or a test.
        case data(TransactionData)
        /// The extension of many subscriptions at once.
        case summary(Summary)
        /// A token for purchases outside of the App Store.
        case externalPurchaseToken(ExternalPurchaseToken)
        /// The app itself.
        case appData(AppData)

        /// The app in the subject.
        var app: App {
            switch self {
            case .data(let data): data.app
            case .summary(let summary): summary.app
            case .externalPurchaseToken(let token): token.app
            case .appData(let data): data.app
            }
        }
    }

    /// The app that a notification is for.
    public struct App: Sendable, Hashable {
        /// The app's bundle identifier.
        public let bundleIdentifier: String?
        /// The app's App Store identifier; absent in the sandbox.
        public let appAppleIdentifier: UInt64?
        /// The environment.
        public let environment: SignedDataEnvironment?

        /// Whether none of the values differs from another app's.
        func isPart(of app: App) -> Bool {
            [nil, app.bundleIdentifier].contains(bundleIdentifier)
                && [nil, app.appAppleIdentifier].contains(appAppleIdentifier)
                && [nil, app.environment].contains(environment)
        }
    }

    /// A transaction or subscription; both are absent from a test.
    public struct TransactionData: Sendable, Hashable {
        /// The app.
        public let app: App
        /// The app's version.
        public let bundleVersion: String?
        /// The state of the subscription when the notification was signed.
        public let status: SubscriptionStatus?
        /// The customer's reason for the refund request.
        public let consumptionRequestReason: ConsumptionRequestReason?
        let transaction: String?
        let renewalInfo: String?
    }

    /// The result of extending many subscriptions.
    public struct Summary: Sendable, Hashable {
        /// The app.
        public let app: App
        /// The product.
        public let productIdentifier: String?
        /// The identifier of the request.
        public let requestIdentifier: String?
        /// The countries, three letters each.
        public let storefrontCountryCodes: [String]?
        /// The number of extended subscriptions.
        public let succeededCount: Int64?
        /// The number of failures.
        public let failedCount: Int64?
    }

    /// A token for purchases outside of the App Store.
    public struct ExternalPurchaseToken: Sendable, Hashable {
        /// The app; the identifier determines the environment.
        public let app: App
        /// The identifier, which begins with `SANDBOX` in the sandbox.
        public let externalPurchaseIdentifier: String?
        /// The creation date.
        public let creationDate: Date?
        /// The expiration date.
        public let expirationDate: Date?
        /// The kind of token.
        public let tokenType: String?
    }

    /// The app itself.
    public struct AppData: Sendable, Hashable {
        /// The app.
        public let app: App
        let appTransaction: String?
    }

    /// Seats of a subscription for several people that were given up. Revoke the access of their members.
    public struct UnclaimInfo: Sendable, Hashable {
        /// The app.
        public let app: App
        /// The claims of the seats, `unclaimSeatIds`; nil if they can't be read.
        public let seatClaimIdentifiers: [UUID]?
    }
}

extension NotificationClaims: ReadableClaims {
    static var kind: SignedDataKind { .notification }

    static func verified(_ data: VerifiedData<Self>, with nested: NestedData) -> VerifiedNotification {
        VerifiedNotification(
            notification: data, transaction: nested.transaction, renewalInfo: nested.renewalInfo,
            appTransaction: nested.appTransaction)
    }

    init(_ members: AppStoreJSON.Object) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        notificationType = try claims.value("notificationType")
        let subtype: NotificationSubtype? = try claims.value("subtype")
        self.subtype = subtype?.rawValue.isEmpty == true ? nil : subtype
        notificationUUID = try claims.string("notificationUUID")
        version = try? claims.string("version")
        signedDate = try claims.date("signedDate")
        subject = try Subject(claims)
        unclaimInfo = try claims.object("unclaimInfo").map { (seats) throws(ReceiptError) in try UnclaimInfo(seats) }
        // Seats of another app's subscription could otherwise be treated as this app's.
        if let app = subject?.app, let seats = unclaimInfo?.app, !seats.isPart(of: app) {
            throw ReceiptError(.tokenClaimMalformed, "The notification has more than one subject.")
        }
        unknownApp = subject == nil && unclaimInfo?.app.bundleIdentifier == nil ? try App(unknownIn: members) : nil
    }

    static func matches(_ members: AppStoreJSON.Object) -> Bool {
        members["notificationType"] != nil || members["notificationUUID"] != nil
    }
}

extension NotificationClaims.Subject {
    init?(_ claims: ClaimReader) throws(ReceiptError) {
        var subjects: [Self] = []
        if let data = try claims.object("data") { subjects.append(.data(try NotificationClaims.TransactionData(data))) }
        if let summary = try claims.object("summary") {
            subjects.append(.summary(try NotificationClaims.Summary(summary)))
        }
        if let token = try claims.object("externalPurchaseToken") {
            subjects.append(.externalPurchaseToken(try NotificationClaims.ExternalPurchaseToken(token)))
        }
        if let data = try claims.object("appData") { subjects.append(.appData(try NotificationClaims.AppData(data))) }
        // With two subjects, one could name the expected app while the other is processed.
        guard subjects.count <= 1 else {
            throw ReceiptError(.tokenClaimMalformed, "The notification has more than one subject.")
        }
        guard let subject = subjects.first else { return nil }
        self = subject
    }
}

extension NotificationClaims.App {
    /// Creates the app that a notification with an unknown subject names; nil if it names none.
    fileprivate init?(unknownIn members: AppStoreJSON.Object) throws(ReceiptError) {
        let objects = ([members] + members.members.compactMap(\.value.object)).filter { $0["bundleId"]?.string != nil }
        guard let first = objects.first else { return nil }
        bundleIdentifier = first["bundleId"]?.string
        guard Set(objects.map { Array(($0["bundleId"]?.string ?? "").utf8) }).count == 1 else {
            throw ReceiptError(.tokenClaimMalformed, "The notification names more than one app.")
        }
        let claims = ClaimReader(members: first)
        appAppleIdentifier = try? claims.identifier("appAppleId")
        environment = try? claims.value("environment")
    }

    fileprivate init(_ claims: ClaimReader, environment: SignedDataEnvironment? = nil) throws(ReceiptError) {
        bundleIdentifier = try claims.string("bundleId")
        appAppleIdentifier = try claims.identifier("appAppleId")
        self.environment = if let environment { environment } else { try claims.value("environment") }
    }
}

extension NotificationClaims.TransactionData {
    fileprivate init(_ claims: ClaimReader) throws(ReceiptError) {
        app = try NotificationClaims.App(claims)
        bundleVersion = try? claims.string("bundleVersion")
        status = try claims.value("status")
        consumptionRequestReason = try? claims.value("consumptionRequestReason")
        transaction = try claims.string("signedTransactionInfo")
        renewalInfo = try claims.string("signedRenewalInfo")
    }
}

extension NotificationClaims.Summary {
    fileprivate init(_ claims: ClaimReader) throws(ReceiptError) {
        app = try NotificationClaims.App(claims)
        productIdentifier = try claims.string("productId")
        requestIdentifier = try claims.string("requestIdentifier")
        storefrontCountryCodes = try? claims.strings("storefrontCountryCodes")
        succeededCount = try? claims.integer("succeededCount")
        failedCount = try? claims.integer("failedCount")
    }
}

extension NotificationClaims.ExternalPurchaseToken {
    fileprivate init(_ claims: ClaimReader) throws(ReceiptError) {
        let identifier = try claims.string("externalPurchaseId")
        app = try NotificationClaims.App(
            claims, environment: identifier.map { $0.hasPrefix("SANDBOX") ? .sandbox : .production })
        externalPurchaseIdentifier = identifier
        creationDate = try claims.date("tokenCreationDate")
        expirationDate = try? claims.date("tokenExpirationDate")
        tokenType = try? claims.string("tokenType")
    }
}

extension NotificationClaims.AppData {
    fileprivate init(_ claims: ClaimReader) throws(ReceiptError) {
        app = try NotificationClaims.App(claims)
        appTransaction = try claims.string("signedAppTransactionInfo")
    }
}

extension NotificationClaims.UnclaimInfo {
    fileprivate init(_ claims: ClaimReader) throws(ReceiptError) {
        app = try NotificationClaims.App(claims)
        let texts = try? claims.strings("unclaimSeatIds")
        let identifiers = texts?.compactMap { UUID(uuidString: $0) }
        // A part of the list would leave access to the rest.
        seatClaimIdentifiers = identifiers?.count == texts?.count ? identifiers : nil
    }
}

extension NotificationClaims: CustomStringConvertible {
    /// The event, without data about the customer.
    public var description: String {
        let names = [notificationType?.rawValue, subtype?.rawValue].compactMap { $0 }
        return "NotificationClaims(\(names.joined(separator: ", ")))"
    }
}

extension NotificationClaims {
    /// The tokens in the notification, with the names of their members.
    var nestedTokens: [(name: String, token: String)] {
        let tokens: [(name: String, token: String?)] =
            switch subject {
            case .data(let data):
                [("signedTransactionInfo", data.transaction), ("signedRenewalInfo", data.renewalInfo)]
            case .appData(let data): [("signedAppTransactionInfo", data.appTransaction)]
            default: []
            }
        return tokens.compactMap { name, token in token.map { (name, $0) } }
    }
}
