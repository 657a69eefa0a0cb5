import AppReceiptKit

/// What failed, for a log. The message and the remedy are for the developer.
func failure(of receipt: ReceiptLocation, expecting expectations: Expectations) -> String? {
    do throws(ReceiptError) {
        _ = try ReceiptVerifier().verify(contentsOf: receipt, expecting: expectations)
        return nil
    } catch {
        return switch error.code {
        case .inputReceiptMissing: "There is no receipt yet."
        case .deviceHashMismatch: "The receipt is for another device."
        default: "\(error.code.rawValue): \(error.message) \(error.remedy)"
        }
    }
}
