#if Server
/// Due requests to the App Store, in their order. Those about purchases in the same receipt are one batch, because one
/// customer made them.
struct CompletionBatches<Receipt: Hashable> {
    private(set) var batches: [[ScopedOriginal]] = []
    /// The position of the batch of each receipt.
    private var positions: [Receipt: Int] = [:]

    /// - Parameters:
    ///   - original: The original transaction that is due.
    ///   - receipt: The newest receipt with it; nil if there is none.
    mutating func add(_ original: ScopedOriginal, in receipt: Receipt?) {
        if let receipt, let position = positions[receipt] {
            batches[position].append(original)
        } else {
            if let receipt { positions[receipt] = batches.count }
            batches.append([original])
        }
    }
}
#endif
