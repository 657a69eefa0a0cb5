import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("AppleErrorCode")
struct AppleErrorCodeTests {
    /// Every number that Apple documents for the requests of the client.
    private static let numbers: [Int64] =
        [
            4_000_000, 4_000_002, 4_000_005, 4_000_006, 4_000_047, 4_000_048, 4_000_183, 4_000_185, 4_000_187,
            4_000_209, 4_000_225, 4_000_227, 4_030_004, 4_030_005, 4_030_007, 4_030_028, 4_040_019, 4_040_022,
            4_290_000, 5_000_000, 5_000_001, 4_000_026, 4_000_027, 4_000_028, 4_000_030, 4_000_031, 4_000_035,
            4_000_036, 4_000_041, 4_000_044,
        ] + Array(4_000_008...4_000_024) + Array(4_040_001...4_040_010)

    @Test("The table contains every number once, with name, meaning and remedy")
    @available(AppStoreServerAPI 1.0, *)
    func table() {
        let table = AppStoreServerError.AppleErrorCode.documented
        #expect(table.map(\.number).sorted() == Self.numbers.sorted())
        #expect(Set(table.map(\.name)).count == table.count)
        #expect(Set(table.map(\.code)).count == table.count)
        for entry in table {
            #expect(entry.meaning.hasSuffix("."), "\(entry)")
            #expect(entry.remedy.hasSuffix("."), "\(entry)")
            #expect([400, 403, 404, 429, 500].contains(entry.httpStatus))
        }
    }

    @Test("A response with any of the numbers becomes its code, with Apple's message", arguments: numbers)
    @available(AppStoreServerAPI 1.0, *)
    func responses(_ number: Int64) async throws {
        let transport = ScriptedTransport(.apple(number, "Apple says so."))
        let client = try makeClient(transport, environments: [.production]) { $0.retryPolicy = .disabled }
        let error = try #require(await failure { try await client.transaction("1") })
        let known = try #require(AppStoreServerError.AppleErrorCode(number: number))
        #expect(error.code == known.code)
        #expect(error.appleErrorCode == number)
        #expect(error.appleMessage == "Apple says so.")
        #expect(error.httpStatus == known.httpStatus)
        #expect(error.message == error.code.cause)
        #expect(!error.message.isEmpty)
        #expect(!error.remedy.isEmpty)
        #expect(error.environment == .production)
        let retryable: [Int64] = [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_000, 5_000_001]
        #expect(error.isRetryable == retryable.contains(number))
    }

    @Test("Codes are Apple's names in lowercase with hyphens, and those that have a constant exist in the table")
    @available(AppStoreServerAPI 1.0, *)
    func names() {
        #expect(AppStoreServerError.AppleErrorCode.hyphenated("TransactionIdNotFound") == "transaction-id-not-found")
        #expect(
            AppStoreServerError.AppleErrorCode.hyphenated("InvalidAppAccountTokenUUID")
                == "invalid-app-account-token-uuid")
        #expect(
            AppStoreServerError.AppleErrorCode.hyphenated("ServerNotificationUrlNotFound")
                == "server-notification-url-not-found")
        let constants: [(Int64, AppStoreServerError.Code)] = [
            (4_040_010, .transactionIdentifierNotFound), (4_040_005, .originalTransactionIdentifierNotFound),
            (4_040_001, .accountNotFound), (4_040_003, .appNotFound), (4_040_019, .appTransactionDoesNotExist),
            (4_000_005, .invalidRequestRevision), (4_000_017, .paginationTokenExpired),
            (4_040_007, .serverNotificationURLNotFound), (4_040_008, .testNotificationNotFound),
            (4_290_000, .rateLimited),
        ]
        for (number, code) in constants { #expect(AppStoreServerError.AppleErrorCode(number: number)?.code == code) }
    }
}
