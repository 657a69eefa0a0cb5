import Foundation

extension Inspection.Attribute {
    /// The names of the attributes that Apple documents (Receipt Fields).
    private static let names = [
        2: "Bundle identifier", 3: "App version", 4: "Opaque value", 5: "Device hash", 12: "Creation date",
        17: "In-app purchase", 19: "Original app version", 21: "Expiration date",
    ]

    /// Returns the attributes of a receipt, in its order.
    static func all(in receipt: AppReceipt) -> [Self] {
        receipt.attributes.enumerated().map { index, attribute in
            Self(
                id: index, type: attribute.type, name: names[attribute.type],
                value: value(of: attribute, in: receipt.attributes))
        }
    }

    /// Returns the text or number of an attribute, otherwise its bytes.
    private static func value(of attribute: ReceiptAttribute, in list: AttributeList) -> String {
        // The list decodes the first attribute of a type. Later ones of the same type are purchases, which are neither
        // text nor number.
        if list.first(ofType: attribute.type) == attribute {
            if let text = list.text(ofType: attribute.type) { return text }
            if let number = list.number(ofType: attribute.type) { return String(number) }
        }
        return hexadecimal(attribute.value)
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = bytes.prefix(24).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        return bytes.count > 24 ? "\(digits) … (\(bytes.count) bytes)" : digits
    }

    /// Returns the claims of a token, then those of the tokens in it.
    static func all(in report: SignedDataReport) -> [Self] {
        var claims: [(name: String, value: AppStoreJSON)] = report.payload?.members.map { ($0.name, $0.value) } ?? []
        for (token, payload) in report.nested.sorted(by: { $0.key < $1.key }) {
            claims += payload.members.map { ("\(token).\($0.name)", $0.value) }
        }
        return claims.enumerated().map { index, claim in
            let text = claim.value.string ?? String(decoding: claim.value.text(), as: UTF8.self)
            return Self(id: index, type: nil, name: claim.name, value: text)
        }
    }
}
