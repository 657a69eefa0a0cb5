#if Server
import AppReceiptStore
import Logging
import VerifyReceipt

extension Logger {
    /// Logs a failure of the store, without the data in question. Cancellation isn't a failure: a reload ends tasks.
    ///
    /// - Parameters:
    ///   - error: The failure.
    ///   - repetitions: How often it happened since it was logged.
    func databaseFailed(_ error: StoreError, repetitions: Int = 0) {
        guard error != .canceled else { return }
        let isAboutPurchases = error == .tooMuchEvidence || error == .untrustedRevocation
        let message: Message = isAboutPurchases ? "Evidence of a purchase can't be used" : "The database failed"
        var metadata: Metadata = ["error": "\(error)"]
        if repetitions > 0 { metadata["repeated"] = .stringConvertible(repetitions) }
        self.error(message, metadata: metadata)
    }

    /// Logs an error of the server that nothing else explains: its type, because it may contain parts of a request.
    func internalError(_ failure: any Error) {
        error("Internal error", metadata: ["type": "\(type(of: failure))"])
    }

    /// Logs why a request to Apple's endpoints failed.
    func verifyReceiptRejected(_ status: VerifyReceiptStatus, code: String) {
        info("verifyReceipt rejected", metadata: ["status": .stringConvertible(status.rawValue), "code": "\(code)"])
    }
}
#endif
