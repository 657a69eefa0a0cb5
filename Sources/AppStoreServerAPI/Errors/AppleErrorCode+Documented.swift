// Source: Apple, App Store Server API, Error codes, up to version 1.23; Apple's server libraries for Swift, Node,
// Python and Java.

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError.AppleErrorCode {
    /// The errors that Apple documents for the requests of this client, by number.
    public static let documented: [Self] = requests + consumption + refusals + missing + failures

    private static let correct = "Correct the value, then send the request again."
    private static let otherEnvironment =
        "Check the identifier, and that the environment is the one in which the purchase was made."
    private static let again = "Try again a little later."
    private static let startAgain = "Read the pages again from the beginning, with the same query for every page."
    private static let noExtension = "The subscription can't be extended. Don't send the request again."

    private static let requests: [Self] = [
        Self(4_000_000, name: "GeneralBadRequest", meaning: "The request is invalid.", remedy: correct),
        Self(
            4_000_002, name: "InvalidAppIdentifier", meaning: "The app identifier is invalid.",
            remedy: "Check the client's bundle identifier."),
        Self(
            4_000_005, name: "InvalidRequestRevision", meaning: "The cursor isn't valid for this customer and query.",
            remedy: startAgain),
        Self(
            4_000_006, name: "InvalidTransactionId",
            meaning: "The transaction identifier isn't a number, or is too long.", remedy: correct),
        Self(
            4_000_008, name: "InvalidOriginalTransactionId",
            meaning: "The original transaction identifier isn't a number, or is too long.", remedy: correct),
        Self(4_000_009, name: "InvalidExtendByDays", meaning: "The number of days must be 1 to 90.", remedy: correct),
        Self(4_000_010, name: "InvalidExtendReasonCode", meaning: "The reason must be 0 to 3.", remedy: correct),
        Self(
            4_000_011, name: "InvalidRequestIdentifier", meaning: "The request identifier is invalid.",
            remedy: "Use an identifier of at most 128 characters, such as a UUID."),
        Self(
            4_000_012, name: "StartDateTooFarInPast", meaning: "The start date is too far in the past.",
            remedy: "Notifications are kept for 180 days. Choose a later date."),
        Self(
            4_000_013, name: "StartDateAfterEndDate", meaning: "The start date isn't before the end date.",
            remedy: correct),
        Self(
            4_000_014, name: "InvalidPaginationToken", meaning: "The token of the page is invalid.", remedy: startAgain),
        Self(4_000_015, name: "InvalidStartDate", meaning: "The start date is invalid.", remedy: correct),
        Self(4_000_016, name: "InvalidEndDate", meaning: "The end date is invalid.", remedy: correct),
        Self(4_000_017, name: "PaginationTokenExpired", meaning: "The token of the page expired.", remedy: startAgain),
        Self(
            4_000_018, name: "InvalidNotificationType", meaning: "The notification type or subtype is invalid.",
            remedy: correct),
        Self(
            4_000_019, name: "MultipleFiltersSupplied",
            meaning: "Notifications can be filtered by transaction or by type, not by both.",
            remedy: correct),
        Self(
            4_000_020, name: "InvalidTestNotificationToken", meaning: "The token of the test notification is invalid.",
            remedy: "Pass the token that the request for the test notification returned."),
        Self(4_000_021, name: "InvalidSort", meaning: "The order must be ASCENDING or DESCENDING.", remedy: correct),
        Self(4_000_022, name: "InvalidProductType", meaning: "A product type is invalid.", remedy: correct),
        Self(4_000_023, name: "InvalidProductId", meaning: "A product identifier is invalid.", remedy: correct),
        Self(
            4_000_024, name: "InvalidSubscriptionGroupIdentifier",
            meaning: "The identifier of a subscription group is invalid.",
            remedy: correct),
        Self(4_000_026, name: "InvalidInAppOwnershipType", meaning: "The ownership type is invalid.", remedy: correct),
        Self(
            4_000_027, name: "InvalidEmptyStorefrontCountryCodeList", meaning: "The list of storefronts is empty.",
            remedy: "Leave the list out to include every storefront."),
        Self(
            4_000_028, name: "InvalidStorefrontCountryCode",
            meaning: "A storefront isn't a country code of three letters.", remedy: correct),
        Self(4_000_030, name: "InvalidRevoked", meaning: "The value of revoked is invalid.", remedy: correct),
        Self(4_000_031, name: "InvalidStatus", meaning: "A subscription status must be 1 to 5.", remedy: correct),
        Self(
            4_000_047, name: "InvalidTransactionTypeNotSupported",
            meaning: "The transaction's product type isn't supported here.",
            remedy: "Don't send this request for products of this type."),
        Self(
            4_000_048, name: "AppTransactionIdNotSupported",
            meaning: "An app transaction identifier isn't accepted here.",
            remedy: "Pass a transaction identifier."),
        Self(
            4_000_183, name: "InvalidAppAccountTokenUUID", meaning: "The app account token isn't a UUID.",
            remedy: correct),
        Self(
            4_000_185, name: "FamilyTransactionNotSupported",
            meaning: "The customer has the purchase through family sharing.",
            remedy: "Only purchases of the customer can have an app account token."),
        Self(
            4_000_187, name: "TransactionIdIsNotOriginalTransactionId",
            meaning: "The identifier isn't that of the original transaction.",
            remedy: "Pass the original transaction identifier."),
        Self(4_000_225, name: "InvalidGroupId", meaning: "The identifier of the group is invalid.", remedy: correct),
        Self(
            4_000_227, name: "InvalidAssignedTransactionNotSupported",
            meaning: "The transaction was assigned by an organization or a group.",
            remedy: "Pass a transaction that the customer bought."),
    ]

    private static let consumption: [Self] =
        [
            (4_000_035, "CustomerConsented"), (4_000_036, "DeliveryStatus"), (4_000_041, "SampleContentProvided"),
            (4_000_044, "RefundPreference"),
        ].map { number, member in
            Self(
                number, name: "Invalid\(member)",
                meaning: "The member \(member) of the consumption information is invalid.", remedy: correct)
        } + [
            Self(
                4_000_209, name: "ConsumptionPercentageAutoRenewableSubscription",
                meaning: "A subscription can't have a consumption percentage.", remedy: "Leave the percentage out.")
        ]

    private static let refusals: [Self] = [
        Self(
            4_030_004, name: "SubscriptionExtensionIneligible",
            meaning: "The subscription isn't eligible for an extension.",
            remedy: noExtension),
        Self(
            4_030_005, name: "SubscriptionMaxExtension", meaning: "The subscription was extended as often as possible.",
            remedy: noExtension),
        Self(
            4_030_007, name: "FamilySharedSubscriptionExtensionIneligible",
            meaning: "A subscription through family sharing can't be extended.", remedy: noExtension),
        Self(
            4_030_028, name: "AssignedSubscriptionExtensionIneligible",
            meaning: "An assigned subscription can't be extended.",
            remedy: noExtension),
    ]

    private static let missing: [Self] = [
        Self(
            4_040_001, name: "AccountNotFound", meaning: "The customer's account wasn't found.",
            remedy: otherEnvironment),
        Self(
            4_040_002, name: "AccountNotFoundRetryable", meaning: "The customer's account wasn't found at the moment.",
            remedy: again),
        Self(
            4_040_003, name: "AppNotFound", meaning: "The app wasn't found.",
            remedy: "Check the client's bundle identifier, and that the key belongs to the app's team."),
        Self(4_040_004, name: "AppNotFoundRetryable", meaning: "The app wasn't found at the moment.", remedy: again),
        Self(
            4_040_005, name: "OriginalTransactionIdNotFound", meaning: "The original transaction wasn't found.",
            remedy: otherEnvironment),
        Self(
            4_040_006, name: "OriginalTransactionIdNotFoundRetryable",
            meaning: "The original transaction wasn't found at the moment.",
            remedy: again),
        Self(
            4_040_007, name: "ServerNotificationUrlNotFound", meaning: "No address for notifications is registered.",
            remedy: "Enter the address of your server for this environment in App Store Connect."),
        Self(
            4_040_008, name: "TestNotificationNotFound",
            meaning: "The test notification wasn't found: not sent yet, or its token expired.",
            remedy: "Ask again a few seconds later, or request another test notification."),
        Self(
            4_040_009, name: "StatusRequestNotFound",
            meaning: "No extension with this request identifier and product was found.",
            remedy: "Check both identifiers, and the environment."),
        Self(
            4_040_010, name: "TransactionIdNotFound", meaning: "The transaction wasn't found.",
            remedy: "\(otherEnvironment) The App Store may not know a new purchase for some minutes: try again then."),
        Self(
            4_040_019, name: "AppTransactionDoesNotExist", meaning: "The customer has no app transaction.",
            remedy: otherEnvironment),
        Self(4_040_022, name: "GroupNotFound", meaning: "The group wasn't found.", remedy: otherEnvironment),
    ]

    private static let failures: [Self] = [
        Self(
            4_290_000, name: "RateLimitExceeded", meaning: "The limit of requests for this endpoint is exceeded.",
            remedy: "Wait until the time that the response names."),
        Self(5_000_000, name: "GeneralInternal", meaning: "The App Store's server failed.", remedy: "Try again later."),
        Self(
            5_000_001, name: "GeneralInternalRetryable", meaning: "The App Store's server failed for the moment.",
            remedy: again),
    ]
}
