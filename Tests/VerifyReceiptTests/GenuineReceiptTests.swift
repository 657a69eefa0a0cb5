import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@testable import VerifyReceipt

@Suite(
    "Genuine receipts through VerifyReceipt",
    .enabled(if: GenuineReceipts.arePresent, "\(GenuineReceipts.absence)"))
struct GenuineReceiptTests {
    private static func response(
        _ file: String, _ environments: VerifyReceiptResponder.Environments, _ verifier: ReceiptVerifier = .init()
    ) throws -> VerifyReceiptResponse {
        let bytes = try GenuineReceipts.bytes(file)
        let text = file.hasSuffix(".b64") ? String(decoding: bytes, as: UTF8.self) : Data(bytes).base64EncodedString()
        let body = AppStoreJSON.object(["receipt-data": .string(text)]).text()
        return VerifyReceiptResponder(verifier: verifier, environments: environments).response(
            to: body, now: requestDate)
    }

    @Test(
        "Receipts from the App Store are answered in their environment and redirected in the other",
        arguments: [
            ("mac-production-2017-sha1.receipt", "Production", 0),
            ("mac-production-2023-g5-sha256.receipt", "Production", 3),
            ("ios-sandbox-2015-sha1.b64", "Sandbox", 7), ("ios-sandbox-2023-g7.receipt", "Sandbox", 2),
            ("ios-sandbox-2025-g5.receipt", "Sandbox", 2),
        ])
    func fromTheAppStore(_ file: String, _ environment: String, _ purchases: Int) throws {
        let isProduction = environment == "Production"
        for environments in [.both, isProduction ? .production : .sandbox] as [VerifyReceiptResponder.Environments] {
            let response = try Self.response(file, environments)
            #expect(response.status == .valid)
            #expect(response.json["environment"]?.string == environment)
            #expect(response.json["receipt"]?["in_app"]?.array?.count == purchases)
        }
        let other = try Self.response(file, isProduction ? .sandbox : .production)
        #expect(other.status == (isProduction ? .productionReceiptInSandbox : .sandboxReceiptInProduction))
        #expect(other.containsOnlyStatus)
    }

    @Test("Fields, dates and order match the receipt")
    func sandbox() throws {
        let json = try Self.response("ios-sandbox-2015-sha1.b64", .both).json
        let receipt = try #require(json["receipt"])
        #expect(receipt["bundle_id"] == "com.mbaasy.ios.demo")
        #expect(receipt["application_version"] == "1")
        #expect(receipt["download_id"] == 0)
        #expect(receipt["receipt_creation_date_pst"] == "2015-08-13 00:50:46 America/Los_Angeles")
        #expect(receipt["original_purchase_date_ms"] == "1375340400000")
        let purchases = try #require(receipt["in_app"]?.array)
        #expect(purchases.first?["product_id"] == "consumable")
        #expect(purchases.first?["expires_date"] == nil)
        let latest = try #require(json["latest_receipt_info"]?.array)
        #expect(latest.count == 7)
        #expect(latest.filter { $0["product_id"] == "monthly" }.count == 6)
        let dates = latest.compactMap { $0["purchase_date_ms"]?.string }
        #expect(dates == dates.sorted(by: >))
        #expect(json["latest_receipt"]?.string?.hasPrefix("MII") == true)
        #expect(json["pending_renewal_info"] == nil)
    }

    @Test("Receipts from Xcode aren't authenticated, and if their certificate is trusted only a sandbox answers them")
    func xcode() throws {
        let certificate = try GenuineReceipts.bytes("storekit-test-certificate.cer")
        let verifier = ReceiptVerifier(xcode: try XcodeTrust(der: [certificate]))
        for file in ["xcode-2020.b64", "xcode-2023-empty.b64"] {
            #expect(try Self.response(file, .sandbox).status == .notAuthenticated)
            #expect(try Self.response(file, .production, verifier).status == .sandboxReceiptInProduction)
            #expect(try Self.response(file, .both, verifier).status == .notAuthenticated)
            let response = try Self.response(file, .sandbox, verifier)
            #expect(response.status == .valid)
            #expect(response.json["environment"] == "Xcode")
            #expect(response.json["receipt"]?["receipt_type"] == "Xcode")
        }
    }

    @Test("A genuine transaction receipt is accepted at the sandbox, and its subscription has ended")
    func transactionReceipt() throws {
        let file = "transaction-receipt-pre-ios7.b64"
        #expect(try Self.response(file, .production).status == .sandboxReceiptInProduction)
        for environments in [VerifyReceiptResponder.Environments.sandbox, .both] {
            let response = try Self.response(file, environments)
            #expect(response.status == .subscriptionExpired)
            #expect(response.json["environment"] == "Sandbox")
            #expect(response.json["receipt"]?["bid"] == "com.mbaasy.ios.demo")
        }
    }

    @Test(
        "Without history and refunds, a response contains exactly the members and transactions of the receipt",
        arguments: [
            "mac-production-2017-sha1.receipt", "mac-production-2023-g5-sha256.receipt", "ios-sandbox-2015-sha1.b64",
            "ios-sandbox-2023-g7.receipt", "ios-sandbox-2025-g5.receipt",
        ])
    func membersWithoutHistory(_ file: String) async throws {
        let bytes = try GenuineReceipts.bytes(file)
        let text = file.hasSuffix(".b64") ? String(decoding: bytes, as: UTF8.self) : Data(bytes).base64EncodedString()
        let receipt = try AppReceipt(parsing: file.hasSuffix(".b64") ? Base64.decode(bytes[...]) : bytes)
        let response = try Self.response(file, .both)
        #expect(
            response.json.names == ["status", "environment", "receipt"]
                + (receipt.purchases.isEmpty ? [] : ["latest_receipt_info", "latest_receipt"]))
        let elements = response.json["receipt"]?["in_app"]?.array ?? []
        #expect(elements == receipt.purchases.map { TransactionFields(AppStoreTransaction($0)).json })
        for (element, purchase) in zip(elements, receipt.purchases) {
            let names = Self.members(of: purchase)
            #expect(element.names == names)
        }
        func sorted(_ elements: [AppStoreJSON]) -> [String] {
            elements.map { String(decoding: $0.text(), as: UTF8.self) }.sorted()
        }
        #expect(sorted(response.json["latest_receipt_info"]?.array ?? []) == sorted(elements))
        let body = AppStoreJSON.object(["receipt-data": .string(text)]).text()
        let withHistory = await VerifyReceiptResponder(verifier: ReceiptVerifier(), environments: .both).response(
            to: body, evidence: InMemoryTransactionHistory(), now: requestDate)
        #expect(withHistory.json == response.json)
    }

    /// The members of a receipt's transaction, as in Apple's responses.
    private static func members(of purchase: InAppPurchase) -> [String] {
        func date(_ name: String, _ date: Date?) -> [String] {
            date == nil ? [] : [name, "\(name)_ms", "\(name)_pst"]
        }
        return ["quantity", "product_id", "transaction_id", "original_transaction_id"]
            + date("purchase_date", purchase.purchaseDate)
            + date("original_purchase_date", purchase.originalPurchaseDate)
            + date("expires_date", purchase.expirationDate)
            + (purchase.webOrderLineItemIdentifier == nil ? [] : ["web_order_line_item_id"])
            + (purchase.isTrialPeriod == nil ? [] : ["is_trial_period"])
            + (purchase.isInIntroductoryOfferPeriod == nil ? [] : ["is_in_intro_offer_period"])
            + date("cancellation_date", purchase.cancellationDate)
    }
}
