import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation

// The lines of the README's table "How do I …", compiled.

func lineThatFinds(_ verifier: ReceiptVerifier, _ expectations: Expectations) throws(ReceiptError) -> VerifiedReceipt {
    try verifier.verify(contentsOf: .mainBundle, expecting: expectations)
}

func lineThatVerifies(_ receipt: String, _ verifier: ReceiptVerifier, _ expectations: Expectations) throws(ReceiptError)
    -> VerifiedReceipt
{
    try verifier.verify(receipt, expecting: expectations)
}

func lineForOwned(_ entitlements: Entitlements) -> Bool {
    entitlements.isActive("com.example.pro")
}

func lineForUntil(_ entitlements: Entitlements) -> Date? {
    entitlements["com.example.plus"]?.until
}

func lineForGrace(_ entitlements: Entitlements) -> Bool {
    entitlements["com.example.plus"]?.state == .gracePeriod
}

func lineForTrial(_ entitlements: Entitlements) -> Bool {
    entitlements.introductoryOfferEligibility(inGroupOf: ["com.example.plus", "com.example.plus.yearly"]) == .eligible
}

func lineForPaidToFree(_ verified: VerifiedReceipt) -> Bool {
    verified.originalAppPurchase.precedes(build: "412", version: "3.0") == true
}

func lineForFailure(_ error: ReceiptError) {
    print(error.code, error.message, error.remedy)
}

func lineForTest() throws -> Entitlements {
    try TestReceipt(purchases: [TestPurchase("com.example.pro", transaction: "1")]).verified().entitlements()
}

func lineForMerge(_ app: String, _ verified: VerifiedReceipt, _ transactions: [VerifiedTransaction]) -> Entitlements {
    Entitlements(bundleIdentifier: app, environment: .production, receipts: [verified], transactions: transactions)
}
