/// The JSON follows the same rules as that of ``AppReceipt``.
extension InAppPurchase: Codable {
    enum CodingKeys: String, CodingKey {
        case quantity, productIdentifier, transactionIdentifier, purchaseDate, originalTransactionIdentifier
        case originalPurchaseDate, productType, expirationDate, productStoreIdentifier, webOrderLineItemIdentifier
        case cancellationDate, isTrialPeriod, isInIntroductoryOfferPeriod, promotionalOfferIdentifier, attributes
    }

    /// Decodes a value from the output of ``encode(to:)``, in any format.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        quantity = try container.decodeIfPresent(Int.self, forKey: .quantity)
        productIdentifier = try container.decodeIfPresent(String.self, forKey: .productIdentifier)
        transactionIdentifier = try container.decodeIfPresent(String.self, forKey: .transactionIdentifier)
        purchaseDate = try container.decode(date: .purchaseDate)
        originalTransactionIdentifier = try container.decodeIfPresent(
            String.self, forKey: .originalTransactionIdentifier)
        originalPurchaseDate = try container.decode(date: .originalPurchaseDate)
        productType = try container.decodeIfPresent(ProductType.self, forKey: .productType)
        expirationDate = try container.decode(date: .expirationDate)
        productStoreIdentifier = try container.decode(identifier: .productStoreIdentifier)
        webOrderLineItemIdentifier = try container.decode(identifier: .webOrderLineItemIdentifier)
        cancellationDate = try container.decode(date: .cancellationDate)
        isTrialPeriod = try container.decodeIfPresent(Bool.self, forKey: .isTrialPeriod)
        isInIntroductoryOfferPeriod = try container.decodeIfPresent(Bool.self, forKey: .isInIntroductoryOfferPeriod)
        promotionalOfferIdentifier = try container.decodeIfPresent(String.self, forKey: .promotionalOfferIdentifier)
        attributes = try container.decodeIfPresent(AttributeList.self, forKey: .attributes) ?? AttributeList([])
    }

    /// Encodes the values that are present. `CodingUserInfoKey.omitsReceiptAttributes` omits the raw attributes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(quantity, forKey: .quantity)
        try container.encodeIfPresent(productIdentifier, forKey: .productIdentifier)
        try container.encodeIfPresent(transactionIdentifier, forKey: .transactionIdentifier)
        try container.encode(purchaseDate, date: .purchaseDate)
        try container.encodeIfPresent(originalTransactionIdentifier, forKey: .originalTransactionIdentifier)
        try container.encode(originalPurchaseDate, date: .originalPurchaseDate)
        try container.encodeIfPresent(productType, forKey: .productType)
        try container.encode(expirationDate, date: .expirationDate)
        try container.encode(productStoreIdentifier, identifier: .productStoreIdentifier)
        try container.encode(webOrderLineItemIdentifier, identifier: .webOrderLineItemIdentifier)
        try container.encode(cancellationDate, date: .cancellationDate)
        try container.encodeIfPresent(isTrialPeriod, forKey: .isTrialPeriod)
        try container.encodeIfPresent(isInIntroductoryOfferPeriod, forKey: .isInIntroductoryOfferPeriod)
        try container.encodeIfPresent(promotionalOfferIdentifier, forKey: .promotionalOfferIdentifier)
        if encoder.userInfo[.omitsReceiptAttributes] as? Bool != true {
            try container.encode(attributes, forKey: .attributes)
        }
    }
}
