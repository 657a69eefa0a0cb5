// Source: Apple, App Store Server API, Error codes, up to version 1.23; Apple's server libraries for Swift, Node, Python and Java.

@available(AppStoreServerAPI 1.0, *)
extension AppleErrorCode {
    /// The errors that Apple documents for the requests of this client, by number.
    public static let documented: [AppleErrorCode] = requests + consumption + refusals + missing + failures

    private static let correct = "Correct the value, then send the request again."
    private static let otherEnvironment =
        "Check the identifier, and that the environment is the one in which the purchase was made."
    private static let again = "Try again a little later."
    private static let startAgain = "Read the pages again from the beginning, with the same query for every page."
    private static let noExtension = "The subscription can't be extended. Don't send the request again."

    private static let requests: [AppleErrorCode] = [
        AppleErrorCode(4_000_000, "GeneralBadRequest", "The request is invalid.", correct),
        AppleErrorCode(
            4_000_002, "InvalidAppIdentifier", "The app identifier is invalid.",
            "Check the client's bundle identifier."),
        AppleErrorCode(
            4_000_005, "InvalidRequestRevision", "The cursor isn't valid for this customer and query.", startAgain),
        AppleErrorCode(
            4_000_006, "InvalidTransactionId", "The transaction identifier isn't a number, or is too long.", correct),
        AppleErrorCode(
            4_000_008, "InvalidOriginalTransactionId",
            "The original transaction identifier isn't a number, or is too long.", correct),
        AppleErrorCode(4_000_009, "InvalidExtendByDays", "The number of days must be 1 to 90.", correct),
        AppleErrorCode(4_000_010, "InvalidExtendReasonCode", "The reason must be 0 to 3.", correct),
        AppleErrorCode(
            4_000_011, "InvalidRequestIdentifier", "The request identifier is invalid.",
            "Use an identifier of at most 128 characters, such as a UUID."),
        AppleErrorCode(
            4_000_012, "StartDateTooFarInPast", "The start date is too far in the past.",
            "Notifications are kept for 180 days. Choose a later date."),
        AppleErrorCode(
            4_000_013, "StartDateAfterEndDate", "The start date isn't before the end date.", correct),
        AppleErrorCode(4_000_014, "InvalidPaginationToken", "The token of the page is invalid.", startAgain),
        AppleErrorCode(4_000_015, "InvalidStartDate", "The start date is invalid.", correct),
        AppleErrorCode(4_000_016, "InvalidEndDate", "The end date is invalid.", correct),
        AppleErrorCode(4_000_017, "PaginationTokenExpired", "The token of the page expired.", startAgain),
        AppleErrorCode(
            4_000_018, "InvalidNotificationType", "The notification type or subtype is invalid.", correct),
        AppleErrorCode(
            4_000_019, "MultipleFiltersSupplied",
            "Notifications can be filtered by transaction or by type, not by both.",
            correct),
        AppleErrorCode(
            4_000_020, "InvalidTestNotificationToken", "The token of the test notification is invalid.",
            "Pass the token that the request for the test notification returned."),
        AppleErrorCode(4_000_021, "InvalidSort", "The order must be ASCENDING or DESCENDING.", correct),
        AppleErrorCode(4_000_022, "InvalidProductType", "A product type is invalid.", correct),
        AppleErrorCode(4_000_023, "InvalidProductId", "A product identifier is invalid.", correct),
        AppleErrorCode(
            4_000_024, "InvalidSubscriptionGroupIdentifier", "The identifier of a subscription group is invalid.",
            correct),
        AppleErrorCode(4_000_026, "InvalidInAppOwnershipType", "The ownership type is invalid.", correct),
        AppleErrorCode(
            4_000_027, "InvalidEmptyStorefrontCountryCodeList", "The list of storefronts is empty.",
            "Leave the list out to include every storefront."),
        AppleErrorCode(
            4_000_028, "InvalidStorefrontCountryCode", "A storefront isn't a country code of three letters.", correct),
        AppleErrorCode(4_000_030, "InvalidRevoked", "The value of revoked is invalid.", correct),
        AppleErrorCode(4_000_031, "InvalidStatus", "A subscription status must be 1 to 5.", correct),
        AppleErrorCode(
            4_000_047, "InvalidTransactionTypeNotSupported", "The transaction's product type isn't supported here.",
            "Don't send this request for products of this type."),
        AppleErrorCode(
            4_000_048, "AppTransactionIdNotSupported", "An app transaction identifier isn't accepted here.",
            "Pass a transaction identifier."),
        AppleErrorCode(
            4_000_183, "InvalidAppAccountTokenUUID", "The app account token isn't a UUID.", correct),
        AppleErrorCode(
            4_000_185, "FamilyTransactionNotSupported", "The customer has the purchase through family sharing.",
            "Only purchases of the customer can have an app account token."),
        AppleErrorCode(
            4_000_187, "TransactionIdIsNotOriginalTransactionId",
            "The identifier isn't that of the original transaction.",
            "Pass the original transaction identifier."),
        AppleErrorCode(4_000_225, "InvalidGroupId", "The identifier of the group is invalid.", correct),
        AppleErrorCode(
            4_000_227, "InvalidAssignedTransactionNotSupported",
            "The transaction was assigned by an organization or a group.",
            "Pass a transaction that the customer bought."),
    ]

    private static let consumption: [AppleErrorCode] =
        [
            (4_000_035, "CustomerConsented"), (4_000_036, "DeliveryStatus"), (4_000_041, "SampleContentProvided"),
            (4_000_044, "RefundPreference"),
        ].map { number, member in
            AppleErrorCode(
                number, "Invalid\(member)", "The member \(member) of the consumption information is invalid.", correct)
        } + [
            AppleErrorCode(
                4_000_209, "ConsumptionPercentageAutoRenewableSubscription",
                "A subscription can't have a consumption percentage.", "Leave the percentage out.")
        ]

    private static let refusals: [AppleErrorCode] = [
        AppleErrorCode(
            4_030_004, "SubscriptionExtensionIneligible", "The subscription isn't eligible for an extension.",
            noExtension),
        AppleErrorCode(
            4_030_005, "SubscriptionMaxExtension", "The subscription was extended as often as possible.", noExtension),
        AppleErrorCode(
            4_030_007, "FamilySharedSubscriptionExtensionIneligible",
            "A subscription through family sharing can't be extended.", noExtension),
        AppleErrorCode(
            4_030_028, "AssignedSubscriptionExtensionIneligible", "An assigned subscription can't be extended.",
            noExtension),
    ]

    private static let missing: [AppleErrorCode] = [
        AppleErrorCode(4_040_001, "AccountNotFound", "The customer's account wasn't found.", otherEnvironment),
        AppleErrorCode(
            4_040_002, "AccountNotFoundRetryable", "The customer's account wasn't found at the moment.", again),
        AppleErrorCode(
            4_040_003, "AppNotFound", "The app wasn't found.",
            "Check the client's bundle identifier, and that the key belongs to the app's team."),
        AppleErrorCode(4_040_004, "AppNotFoundRetryable", "The app wasn't found at the moment.", again),
        AppleErrorCode(
            4_040_005, "OriginalTransactionIdNotFound", "The original transaction wasn't found.", otherEnvironment),
        AppleErrorCode(
            4_040_006, "OriginalTransactionIdNotFoundRetryable", "The original transaction wasn't found at the moment.",
            again),
        AppleErrorCode(
            4_040_007, "ServerNotificationUrlNotFound", "No address for notifications is registered.",
            "Enter the address of your server for this environment in App Store Connect."),
        AppleErrorCode(
            4_040_008, "TestNotificationNotFound",
            "The test notification wasn't found: not sent yet, or its token expired.",
            "Ask again a few seconds later, or request another test notification."),
        AppleErrorCode(
            4_040_009, "StatusRequestNotFound", "No extension with this request identifier and product was found.",
            "Check both identifiers, and the environment."),
        AppleErrorCode(
            4_040_010, "TransactionIdNotFound", "The transaction wasn't found.",
            "\(otherEnvironment) The App Store may not know a new purchase for some minutes: try again then."),
        AppleErrorCode(
            4_040_019, "AppTransactionDoesNotExist", "The customer has no app transaction.", otherEnvironment),
        AppleErrorCode(4_040_022, "GroupNotFound", "The group wasn't found.", otherEnvironment),
    ]

    private static let failures: [AppleErrorCode] = [
        AppleErrorCode(
            4_290_000, "RateLimitExceeded", "The limit of requests for this endpoint is exceeded.",
            "Wait until the time that the response names."),
        AppleErrorCode(5_000_000, "GeneralInternal", "The App Store's server failed.", "Try again later."),
        AppleErrorCode(
            5_000_001, "GeneralInternalRetryable", "The App Store's server failed for the moment.", again),
    ]
}
