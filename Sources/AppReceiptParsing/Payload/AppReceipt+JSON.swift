package import AppReceiptSupport

extension AppReceipt {
    /// Writes the members that ``encode(to:)`` encodes, without an encoder and in the order of the attributes' numbers.
    ///
    /// - Parameters:
    ///   - writer: The document, in an open object.
    ///   - includesAttributes: Whether to write the raw attributes, which are most of the JSON.
    package func write(to writer: inout JSONWriter, attributes includesAttributes: Bool) {
        writer.memberIfPresent("environment", environment?.rawValue)
        writer.memberIfPresent("appStoreIdentifier", digits: appStoreIdentifier)
        writer.memberIfPresent("bundleIdentifier", bundleIdentifier)
        writer.memberIfPresent("bundleIdentifierBytes", base64: bundleIdentifierBytes)
        writer.memberIfPresent("appVersion", appVersion)
        writer.memberIfPresent("opaqueValue", base64: opaqueValue)
        writer.memberIfPresent("deviceHash", base64: deviceHash)
        writer.memberIfPresent("transactionDate", transactionDate)
        writer.memberIfPresent("fulfillmentToolVersion", number: fulfillmentToolVersion)
        writer.memberIfPresent("ageRating", ageRating)
        writer.memberIfPresent("developerIdentifier", digits: developerIdentifier)
        writer.memberIfPresent("creationDate", creationDate)
        writer.memberIfPresent("operatingSystemVersion", number: operatingSystemVersion)
        writer.memberIfPresent("deviceModelCode", number: deviceModelCode)
        writer.memberIfPresent("downloadIdentifier", digits: downloadIdentifier)
        writer.memberIfPresent("versionExternalIdentifier", digits: versionExternalIdentifier)
        writer.memberIfPresent("originalPurchaseDate", originalPurchaseDate)
        writer.memberIfPresent("originalAppVersion", originalAppVersion)
        writer.memberIfPresent("expirationDate", expirationDate)
        writer.memberIfPresent("volumePurchaseDate", volumePurchaseDate)
        writer.memberIfPresent("volumePurchaseClientName", volumePurchaseClientName)
        writer.memberIfPresent("platformCode", number: platformCode)
        writer.memberIfPresent("preorderDate", preorderDate)
        writer.openArray("purchases")
        for purchase in purchases {
            writer.element { purchase.write(to: &$0, attributes: includesAttributes) }
        }
        writer.closeArray()
        if includesAttributes { attributes.write(to: &writer) }
    }
}

extension InAppPurchase {
    /// Writes the members that ``encode(to:)`` encodes.
    package func write(to writer: inout JSONWriter, attributes includesAttributes: Bool) {
        writer.memberIfPresent("quantity", number: quantity)
        writer.memberIfPresent("productIdentifier", productIdentifier)
        writer.memberIfPresent("transactionIdentifier", transactionIdentifier)
        writer.memberIfPresent("purchaseDate", purchaseDate)
        writer.memberIfPresent("originalTransactionIdentifier", originalTransactionIdentifier)
        writer.memberIfPresent("originalPurchaseDate", originalPurchaseDate)
        writer.memberIfPresent("productType", number: productType?.rawValue)
        writer.memberIfPresent("expirationDate", expirationDate)
        writer.memberIfPresent("productStoreIdentifier", digits: productStoreIdentifier)
        writer.memberIfPresent("webOrderLineItemIdentifier", digits: webOrderLineItemIdentifier)
        writer.memberIfPresent("cancellationDate", cancellationDate)
        writer.memberIfPresent("isTrialPeriod", isTrialPeriod)
        writer.memberIfPresent("isInIntroductoryOfferPeriod", isInIntroductoryOfferPeriod)
        writer.memberIfPresent("promotionalOfferIdentifier", promotionalOfferIdentifier)
        if includesAttributes { attributes.write(to: &writer) }
    }
}

extension AttributeList {
    /// Writes the member `attributes`.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.openArray("attributes")
        for attribute in self {
            writer.element {
                $0.member("type", number: attribute.type)
                $0.member("version", number: attribute.version)
                $0.member("value", base64: attribute.value)
            }
        }
        writer.closeArray()
    }
}
