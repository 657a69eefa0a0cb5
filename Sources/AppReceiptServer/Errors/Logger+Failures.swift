#if Server
import AppReceiptStore
import Logging
import VerifyReceipt

extension Logger {
    /// Logs a failure of the store, without the data in question.
    func databaseFailed(_ error: StoreError) {
        let isAboutPurchases = error == .tooMuchEvidence || error == .untrustedRevocation
        let message: Message = isAboutPurchases ? "Evidence of a purchase can't be used" : "The database failed"
        self.error(message, metadata: ["error": "\(error)"])
    }

    /// Logs why a request to Apple's endpoints failed.
    func verifyReceiptRejected(_ status: VerifyReceiptStatus, code: String) {
        info("verifyReceipt rejected", metadata: ["status": "\(status)", "code": "\(code)"])
    }
}
#endif
