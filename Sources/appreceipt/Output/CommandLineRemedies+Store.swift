import AppReceiptKit
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension CommandLineRemedies {
    /// The remedy for a receipt that a command of `store` accepts instead of an identifier.
    static func remedy(ofReceipt error: ReceiptError) -> String {
        guard error.code == .environmentMismatch else { return error.remedy }
        return "Leave out --environment, or set it to the receipt's."
    }

    /// The remedy for a request of `store`, or for signed data of its response.
    static func remedy(ofRequest error: AppStoreServerError) -> String {
        guard error.receiptError?.code == .environmentMismatch else { return error.remedy }
        return "Check --base-url and --sandbox-base-url."
    }
}
