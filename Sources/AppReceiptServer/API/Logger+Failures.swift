#if Server
import Logging
import VerifyReceipt

extension Logger {
    /// Logs a failure of the database, without the data in question.
    func databaseFailed(_ error: StoreError) { self.error("The database failed", metadata: ["error": "\(error)"]) }

    /// Logs why a request to Apple's endpoints failed.
    func verifyReceiptRejected(_ status: VerifyReceiptStatus, code: String) {
        info("verifyReceipt rejected", metadata: ["status": "\(status)", "code": "\(code)"])
    }
}
#endif
