import Foundation

@testable import AppStoreServerAPI

extension ErrorCatalog {
    /// The codes of `AppStoreServerError`, and of `appreceipt store`.
    static let appStore: [Group] = {
        guard #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) else { return [] }
        return [client, apple]
    }()

    /// The links of these codes.
    static let appStoreLinks: [URL] = {
        guard #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) else { return [] }
        return (clientCodes + AppStoreServerError.AppleErrorCode.documented.map(\.code)).map(\.documentation)
    }()

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private static let client = Group(
        title: "Requests to the App Store",
        introduction: """
            The codes of `AppStoreServerError`, which `appreceipt store` shows too. Signed data of a response that is rejected has the \
            code of its check, on the command line and in `AppStoreServerError.receiptError`. There, `environment-mismatch` means that a base URL \
            is that of another environment.
            """,
        entries: clientCodes.map { Entry($0.rawValue, cause: $0.cause, remedy: $0.remedy) } + [
            Entry(
                "receipt-without-purchases",
                cause: "The receipt passed to `appreceipt store` is valid, but contains no purchase to ask for.",
                remedy:
                    "Pass a transaction identifier of the customer, for example from a signed transaction of the app.")
        ])

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private static let clientCodes: [AppStoreServerError.Code] = [
        .unreachable, .timedOut, .serverError, .rateLimited, .unauthenticated, .responseUnreadable, .responseTooLarge,
        .pagesWithoutEnd, .tooManyPages, .verificationFailed, .answerForAnotherTransaction, .answerForAnotherRequest,
        .unknownAppleError, .keyInvalid, .configurationInvalid, .requestInvalid, .canceled,
    ]

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private static let apple = Group(
        title: "Errors of the App Store Server API",
        introduction: "Apple's errors, with Apple's number and name. The HTTP status is the first three digits.",
        entries: AppStoreServerError.AppleErrorCode.documented.filter { $0.code != .rateLimited }.map {
            Entry($0.code.rawValue, cause: "\($0.meaning) (\($0.description))", remedy: $0.remedy)
        })
}
