#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Logging
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("ReceiptService: store")
struct ReceiptServiceStoreTests {
    @available(AppReceiptServer 1.0, *)
    @Test("Responses to a receipt that is known are equal, until they contain a later refund")
    func responses() async throws {
        let receipt = try TestReceipt().with {
            $0.creationDate = instant("2024-07-02T15:04:05Z")
            $0.purchases = [
                TestPurchase("com.example.pro", transaction: "77", at: instant("2024-06-01T00:00:00Z")),
                TestPurchase("com.example.maps", transaction: "78", at: instant("2024-06-02T00:00:00Z")),
            ]
        }.signed()
        let request: AppStoreJSON = ["receipt-data": .string(receipt.base64)]
        let refund = try TestTransaction("com.example.pro", transaction: "77", at: instant("2024-06-01T00:00:00Z"))
            .with {
                $0.signedDate = instant("2024-12-01T00:00:00Z")
                $0.revocationDate = instant("2024-08-01T00:00:00Z")
            }.signed()
        try await TestServer.with { server async throws in
            // The first request records the receipt, and the second one reads that nothing else is stored.
            var reports: [AppStoreJSON?] = []
            var purchases: [AppStoreJSON?] = []
            for _ in 0..<4 {
                reports.append(try await server.post("/v1/receipts/validate", receipt).json)
                purchases.append(try await server.post("/sandbox/verifyReceipt", request).json["receipt"]?["in_app"])
            }
            #expect(reports[0]?["products"]?.array?.count == 2)
            #expect(purchases[0]?.array?.count == 2)
            #expect(reports.allSatisfy { $0 == reports[0] })
            #expect(purchases.allSatisfy { $0 == purchases[0] })
            _ = try await server.post("/v1/signed-data/verify", Array(refund.utf8))
            let report = try await server.post("/v1/receipts/validate", receipt).json
            #expect(report["revoked"]?.array?.count == 1)
            let response = try await server.post("/sandbox/verifyReceipt", request).json
            #expect(response["receipt"]?["in_app"]?[0]?["cancellation_date"]?.string == "2024-08-01 00:00:00 Etc/GMT")
        }
    }
}
#endif
