import AppReceiptKit

// The attributes, and rule of trust 5: without a readable creation date there is no trust.

extension Attack {
    static let payloads: [Attack] = [
        Attack("creation date: none", .creationDateMissing, on: .payload) { $0.receipt.overrides[12] = [] },
        Attack("creation date: an empty one", .creationDateMissing, on: .payload) {
            $0.receipt.overrides[12] = [DERWriter.ia5String("")]
        },
        Attack("creation date: one without a time", .creationDateMalformed, on: .payload) {
            $0.receipt.overrides[12] = [DERWriter.ia5String("2024-07-02")]
        },
        Attack("creation date: a number", .creationDateMalformed, on: .payload) {
            $0.receipt.overrides[12] = [DERWriter.integer(1_719_932_645)]
        },
        Attack("creation date: two", .attributeDuplicate, on: .payload) {
            let date = DERWriter.ia5String("2024-07-02T15:04:05Z")
            $0.receipt.overrides[12] = [date, date]
        },
    ]
}
