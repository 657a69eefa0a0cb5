#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// An input of the inspector, with one of the receipts and tokens in it.
struct InspectorInput {
    /// The receipt or token.
    let item: EvidenceInput.Item
    /// The size of the input.
    private let count: Int
    /// The position of ``item`` among ``evidence``.
    private let index: Int
    /// The receipts and tokens in the input, and what was removed or decoded to find them.
    let evidence: EvidenceInput
    /// The format of a receipt, or nil for other content.
    let format: ReceiptInput.Format?
    /// The receipt's container, or nil for other content.
    let containerBytes: ArraySlice<UInt8>?

    init(_ bytes: [UInt8], item index: Int = 0, limits: ReceiptLimits) {
        evidence = EvidenceInput(bytes)
        count = bytes.count
        self.index = index
        item = evidence.items.dropFirst(index).first ?? .receipt(bytes[...])
        guard case .receipt(let source) = item else {
            (format, containerBytes) = (nil, nil)
            return
        }
        let input = try? ReceiptInput(source, limits: limits)
        (format, containerBytes) = (input?.format, input?.containerBytes)
    }

    /// `{"name", "bytes", "format", "normalizations", "index", "isTruncated", "items", "ignoredOptions"}`; absent
    /// values are null. The options are ignored because the page has fields for them.
    ///
    /// - Parameter name: The name of a sample.
    func json(name: String?) -> AppStoreJSON {
        [
            "name": .text(name), "bytes": .number(AppStoreJSON.Number(count)), "format": .text(format?.rawValue),
            "normalizations": .array(evidence.normalizations.map { .string($0) }),
            "index": .number(AppStoreJSON.Number(index)), "isTruncated": .boolean(evidence.isTruncated),
            "items": .number(AppStoreJSON.Number(evidence.items.count)),
            "ignoredOptions": .array(evidence.options.map { .string($0) }),
        ]
    }
}
#endif
