import Testing

@testable import AppReceiptParsing

@Suite("SeenTypes")
struct SeenTypesTests {
    @Test("Types that may occur once are told apart, in a receipt and in a purchase")
    func distinctTypes() {
        let unique: [[AttributeType]] = [
            AttributeType.allCases.filter(\.isUniqueInReceipt), AttributeType.allCases.filter(\.isUniqueInPurchase),
        ]
        for types in unique {
            #expect(types.count > 20)
            var seen = SeenTypes()
            #expect(types.filter { !seen.insert($0) }.isEmpty)
            #expect(types.filter { seen.insert($0) }.isEmpty)
        }
    }
}
