import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// The first second of a day.
func day(_ text: String) -> Date { instant("\(text)T00:00:00Z") }

extension Trial {
    /// A good receipt with these purchases.
    static func bought(_ purchases: TestPurchase...) -> Trial { with { $0.receipt.purchases = purchases } }

    /// The same as Xcode writes it, with its certificate named.
    func likeXcode() throws -> Trial {
        var trial = self
        trial.receipt.environment = .xcode
        trial.signsLikeXcode = true
        trial.xcode = try XcodeTrust(certificates: [TestPKI.xcode.der()])
        trial.expectations.environments = [.xcode]
        return trial
    }

    /// The same with its attributes, purchases included, in the order in which they were given or in the opposite one.
    func inOrder(reversed: Bool) -> Trial {
        var trial = self
        let members = receipt.attributes.map(\.der)
        let content = DERWriter.set(reversed ? members.reversed() : members, sorted: false)
        trial.container = { $0.content = content }
        return trial
    }

    /// What was verified of the purchases.
    func purchases() throws -> Purchases { try verified().purchases }

    /// What the bytes say of the purchases.
    func unverifiedPurchases() throws -> UnverifiedPurchases { try AppReceipt(parsing: encoded()).unverifiedPurchases }

    /// The only purchase that was verified.
    func purchase(sourceLocation: SourceLocation = #_sourceLocation) throws -> Purchase {
        let all = try purchases().all
        try #require(all.count == 1, sourceLocation: sourceLocation)
        return all[0]
    }
}

extension TestPurchase {
    /// The same without these attributes.
    func without(_ types: Int...) -> TestPurchase {
        with { purchase in for type in types { purchase.overrides[type] = [] } }
    }

    /// The same, refunded or upgraded at `date`.
    func cancelled(at date: Date) -> TestPurchase { with { $0.cancellationDate = date } }
}

extension [Purchase] {
    /// The identifiers of the transactions, by which tests tell purchases apart.
    var transactions: [String?] { map(\.transactionIdentifier) }
}
