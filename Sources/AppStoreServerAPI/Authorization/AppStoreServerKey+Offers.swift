public import AppReceiptFoundation
import AppReceiptSupport

// Tokens (compact JWS) that the app passes to StoreKit. No request is sent.

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerKey {
    /// Signs a promotional offer, for `Product.PurchaseOption.promotionalOffer(_:compactJWS:)`.
    ///
    /// - Parameters:
    ///   - offerIdentifier: The offer in App Store Connect.
    ///   - productIdentifier: The subscription.
    ///   - bundleIdentifier: The app.
    ///   - transactionIdentifier: Any transaction identifier or app transaction identifier of the customer. Apple
    ///     recommends it: it binds the offer to the customer.
    ///   - nonce: An identifier that is used once.
    ///   - date: The current time.
    /// - Returns: The token.
    /// - Throws: ``AppStoreServerError`` with the code `request-invalid` if an identifier is empty.
    public func promotionalOfferToken(
        offerIdentifier: String, productIdentifier: String, bundleIdentifier: String,
        transactionIdentifier: String? = nil, nonce: UUID = UUID(), at date: Date = Date()
    ) throws(AppStoreServerError) -> String {
        var members: AppStoreJSON.Object = [
            "productId": .string(try Self.checked(productIdentifier, as: "product identifier")),
            "offerIdentifier": .string(try Self.checked(offerIdentifier, as: "offer identifier")),
        ]
        if let transactionIdentifier {
            members["transactionId"] = .string(try Self.checked(transactionIdentifier, as: "transaction identifier"))
        }
        return try token(
            for: "promotional-offer", bundleIdentifier: bundleIdentifier, nonce: nonce, at: date, members: members)
    }

    /// Signs whether a customer gets an introductory offer, for
    /// `Product.PurchaseOption.introductoryOfferEligibility(compactJWS:)`.
    ///
    /// - Parameters:
    ///   - isAllowed: Whether the customer gets the introductory offer.
    ///   - productIdentifier: The subscription.
    ///   - bundleIdentifier: The app.
    ///   - transactionIdentifier: Any transaction identifier or app transaction identifier of the customer.
    ///   - nonce: An identifier that is used once.
    ///   - date: The current time.
    /// - Returns: The token.
    /// - Throws: ``AppStoreServerError`` with the code `request-invalid` if an identifier is empty.
    public func introductoryOfferToken(
        isAllowed: Bool, productIdentifier: String, bundleIdentifier: String, transactionIdentifier: String,
        nonce: UUID = UUID(), at date: Date = Date()
    ) throws(AppStoreServerError) -> String {
        try token(
            for: "introductory-offer-eligibility", bundleIdentifier: bundleIdentifier, nonce: nonce, at: date,
            members: [
                "productId": .string(try Self.checked(productIdentifier, as: "product identifier")),
                "allowIntroductoryOffer": .boolean(isAllowed),
                "transactionId": .string(try Self.checked(transactionIdentifier, as: "transaction identifier")),
            ])
    }

    /// Signs a request of the Advanced Commerce API that the app makes, for `Product.PurchaseOption`.
    ///
    /// - Parameters:
    ///   - request: The request as a JSON object in UTF-8.
    ///   - bundleIdentifier: The app.
    ///   - nonce: An identifier that is used once.
    ///   - date: The current time.
    /// - Returns: The token.
    /// - Throws: ``AppStoreServerError`` with the code `request-invalid` if the request isn't a JSON object.
    public func advancedCommerceToken(
        request: some Collection<UInt8>, bundleIdentifier: String, nonce: UUID = UUID(), at date: Date = Date()
    ) throws(AppStoreServerError) -> String {
        guard AppStoreJSON.Object(response: Array(request)) != nil else {
            throw AppStoreServerError(.requestInvalid, message: "The request isn't a JSON object.")
        }
        return try token(
            for: "advanced-commerce-api", bundleIdentifier: bundleIdentifier, nonce: nonce, at: date,
            members: ["request": .string(Data(request).base64EncodedString())])
    }

    private func token(
        for audience: String, bundleIdentifier: String, nonce: UUID, at date: Date, members: AppStoreJSON.Object
    ) throws(AppStoreServerError) -> String {
        var payload: AppStoreJSON.Object = [
            "iss": .string(issuerIdentifier),
            "bid": .string(try Self.checked(bundleIdentifier, as: "bundle identifier")),
            "iat": .number(AppStoreJSON.Number(date.wholeSecondsSince1970)), "aud": .string(audience),
            "nonce": .string(nonce.uuidString.lowercased()),
        ]
        for member in members.members { payload[member.name] = member.value }
        return try token(payload)
    }

    private static func checked(_ identifier: String, as name: String) throws(AppStoreServerError) -> String {
        guard !identifier.isEmpty else { throw AppStoreServerError(.requestInvalid, message: "The \(name) is empty.") }
        return identifier
    }
}
