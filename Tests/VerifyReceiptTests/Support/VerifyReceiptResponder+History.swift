import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import VerifyReceipt

extension VerifyReceiptResponder {
    /// The response to a receipt, with this history.
    func response(
        to receipt: TestReceipt, _ history: CustomerEvidence, _ members: AppStoreJSON.Object = [:]
    ) async throws -> VerifyReceiptResponse {
        await response(
            to: request(try receipt.signed(), members), evidence: StubHistory(history: history), now: Date.later)
    }
}

extension Date {
    /// A date after all evidence of the tests.
    static let later = instant("2025-01-01T00:00:00Z")
}

extension VerifyReceiptResponse {
    /// The elements of `latest_receipt_info`.
    var latest: [AppStoreJSON] { json["latest_receipt_info"]?.array ?? [] }

    /// The elements of `receipt.in_app`.
    var inApp: [AppStoreJSON] { json["receipt"]?["in_app"]?.array ?? [] }
}

extension [AppStoreJSON] {
    /// The transaction identifiers of the elements.
    var transactions: [String?] { map { $0["transaction_id"]?.string } }

    /// The cancellation dates of the elements.
    var cancellations: [String?] { map { $0["cancellation_date"]?.string } }

    /// The element with this transaction identifier.
    subscript(transaction identifier: String) -> AppStoreJSON? {
        first { $0["transaction_id"]?.string == identifier }
    }
}
