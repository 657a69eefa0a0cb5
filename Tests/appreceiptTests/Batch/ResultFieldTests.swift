import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import appreceipt

@Suite("ResultField")
struct ResultFieldTests {
    @Test("The fields of products have the names and values of an entitlement's JSON")
    func entitlement() throws {
        let start = TestReceipt().creationDate
        let receipt = try ReceiptVerifier(anchors: try TestPKI.standard.anchors).verify(
            TestReceipt().with {
                $0.purchases = [
                    TestPurchase("pro", transaction: "2", at: start),
                    TestPurchase(
                        subscription: "monthly", transaction: "1", from: start,
                        to: start.addingTimeInterval(86_400)),
                ]
            }.signed(), expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment))
        let products = receipt.entitlements(at: start).all
        #expect(products.count == 2)
        for product in products {
            let json = try AppStoreJSON(parsing: Array(JSONEncoder().encode(product))[...])
            let members = try #require(json.object).members
            let result = BatchResult(verdict: .valid, environment: receipt.environment)
            for member in members {
                let field = try #require(ResultField(rawValue: member.name))
                let value = field.value(in: result, line: 1, id: .null, row: product.json.object)
                #expect(value == member.value, "\(member.name)")
            }
            let names = Set(members.map(\.name)).union(["product", "transaction", "originalTransaction"])
            #expect(ResultField.allCases.filter(\.isOfProduct).allSatisfy { names.contains($0.rawValue) })
            for (short, long) in [
                (ResultField.product, ResultField.productIdentifier), (.transaction, .transactionIdentifier),
                (.originalTransaction, .originalTransactionIdentifier),
            ] {
                #expect(
                    short.value(in: result, line: 1, id: .null, row: product.json.object)
                        == long.value(in: result, line: 1, id: .null, row: product.json.object))
            }
        }
    }

    @Test("Each field belongs to rows of products or transactions, or to both, under either of its names")
    func kinds() {
        for field in ResultField.allCases {
            #expect(RowKind.allCases.contains { field.isField(of: $0) }, "\(field)")
        }
        for kind in RowKind.allCases {
            let fields = ResultField.all(of: kind)
            #expect(Set(fields).count == fields.count)
            #expect(fields.allSatisfy { $0.isField(of: kind) })
            #expect(ResultField.transactionIdentifier.isField(of: kind))
        }
        #expect(!ResultField.price.isField(of: .products))
        #expect(!ResultField.state.isField(of: .transactions))
    }

    @Test("A list may contain spaces after commas")
    func list() throws {
        #expect(try ResultField.list("line, product,state") == [.line, .product, .state])
        for text in ["", "line,", "line,,id", "Line", "line;id", "line,line"] {
            #expect(throws: (any Error).self, "\(text)") { try ResultField.list(text) }
        }
    }
}
