import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI

/// An error of the App Store Server API.
@available(AppStoreServerAPI 1.0, *)
struct APIError: Error, Hashable {
    let code: Int64
    let message: String

    /// Creates an error. Its message is Apple's name of the code by default, in words: "Transaction id not found."
    init(_ code: Int64, message: String? = nil) {
        let words = AppStoreServerError.AppleErrorCode(number: code)?.code.rawValue.split(separator: "-").joined(
            separator: " ")
        self.code = code
        self.message = message ?? words.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." } ?? "An error occurred."
    }

    /// The HTTP status: the first three digits of a code with seven digits.
    var status: Int { (100...599).contains(code / 10_000) ? Int(code / 10_000) : 500 }

    /// The response's body.
    var body: AppStoreJSON.Object {
        ["errorCode": .number(AppStoreJSON.Number(code)), "errorMessage": .string(message)]
    }

    // MARK: The errors of the endpoints, with Apple's names

    static let generalBadRequest = APIError(4_000_000)
    static let invalidRequestRevision = APIError(4_000_005)
    static let invalidTransactionId = APIError(4_000_006)
    static let invalidOriginalTransactionId = APIError(4_000_008)
    static let invalidExtendByDays = APIError(4_000_009)
    static let invalidExtendReasonCode = APIError(4_000_010)
    static let invalidRequestIdentifier = APIError(4_000_011)
    static let startDateTooFarInPast = APIError(4_000_012)
    static let startDateAfterEndDate = APIError(4_000_013)
    static let invalidPaginationToken = APIError(4_000_014)
    static let invalidStartDate = APIError(4_000_015)
    static let invalidEndDate = APIError(4_000_016)
    static let paginationTokenExpired = APIError(4_000_017)
    static let invalidNotificationType = APIError(4_000_018)
    static let multipleFiltersSupplied = APIError(4_000_019)
    static let invalidTestNotificationToken = APIError(4_000_020)
    static let invalidSort = APIError(4_000_021)
    static let invalidProductType = APIError(4_000_022)
    static let invalidProductId = APIError(4_000_023)
    static let invalidSubscriptionGroupIdentifier = APIError(4_000_024)
    static let invalidInAppOwnershipType = APIError(4_000_026)
    static let invalidEmptyStorefrontCountryCodeList = APIError(4_000_027)
    static let invalidStorefrontCountryCode = APIError(4_000_028)
    static let invalidRevoked = APIError(4_000_030)
    static let invalidStatus = APIError(4_000_031)
    static let invalidCustomerConsented = APIError(4_000_035)
    static let invalidDeliveryStatus = APIError(4_000_036)
    static let invalidSampleContentProvided = APIError(4_000_041)
    static let invalidRefundPreference = APIError(4_000_044)
    static let appTransactionIdNotSupported = APIError(4_000_048)
    static let invalidAppAccountTokenUUID = APIError(4_000_183)
    static let familyTransactionNotSupported = APIError(4_000_185)
    static let transactionIdIsNotOriginalTransactionId = APIError(4_000_187)
    static let consumptionPercentageAutoRenewableSubscription = APIError(4_000_209)
    static let invalidGroupId = APIError(4_000_225)
    static let groupNotFound = APIError(4_040_022)
    static let subscriptionExtensionIneligible = APIError(4_030_004)
    static let subscriptionMaxExtension = APIError(4_030_005)
    static let familySharedSubscriptionExtensionIneligible = APIError(4_030_007)
    static let assignedSubscriptionExtensionIneligible = APIError(4_030_028)
    static let appNotFound = APIError(4_040_003)
    static let originalTransactionIdNotFound = APIError(4_040_005)
    static let serverNotificationURLNotFound = APIError(4_040_007)
    static let testNotificationNotFound = APIError(4_040_008)
    static let statusRequestNotFound = APIError(4_040_009)
    static let transactionIdNotFound = APIError(4_040_010)
    static let appTransactionDoesNotExist = APIError(4_040_019)
    static let rateLimitExceeded = APIError(4_290_000)
    static let generalInternal = APIError(5_000_000)
}
