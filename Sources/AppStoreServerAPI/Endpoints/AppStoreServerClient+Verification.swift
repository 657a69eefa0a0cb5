import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Verifies a token of a response for this app and the environment of the request.
    func verified<Value>(
        _ token: String, in environment: AppStoreEnvironment,
        by verify: (String, SignedDataExpectations, Date) throws(ReceiptError) -> Value
    ) throws(AppStoreServerError) -> Value {
        var expectations = SignedDataExpectations(bundleIdentifier: [bundleIdentifier], environments: [environment])
        expectations.appAppleIdentifier = appAppleIdentifier
        do throws(ReceiptError) {
            return try verify(token, expectations, configuration.clock.now())
        } catch {
            throw AppStoreServerError(
                .verificationFailed, message: "Signed data in the response was rejected: \(error.message)",
                in: environment
            ) {
                $0.receiptError = error
                $0.remedy = error.code == .environmentMismatch ? Self.checkBaseURLs : error.remedy
            }
        }
    }

    private static let checkBaseURLs = "Check that the client's base URLs are those of the environments."

    func verifiedTransaction(
        _ token: String, in environment: AppStoreEnvironment
    ) throws(AppStoreServerError) -> VerifiedTransaction {
        try verified(token, in: environment, by: verifier.verifyTransaction(_:expecting:now:))
    }

    /// Reads each item of a list. Items that fail are rejected with their position, so that one doesn't hide the
    /// others.
    func items<Item, Value>(
        _ items: [Item], reading read: (Item) throws(AppStoreServerError) -> Value
    ) -> (accepted: [Value], rejected: [RejectedItem]) {
        var accepted: [Value] = []
        var rejected: [RejectedItem] = []
        for (index, item) in items.enumerated() {
            do throws(AppStoreServerError) {
                accepted.append(try read(item))
            } catch {
                rejected.append(RejectedItem(index: index, error: error))
            }
        }
        return (accepted, rejected)
    }

    /// Verifies the transactions of a response.
    func transactions(
        in response: APIResponse
    ) throws(AppStoreServerError) -> (accepted: [VerifiedTransaction], rejected: [RejectedItem]) {
        items(try response.array("signedTransactions")) { (item) throws(AppStoreServerError) in
            guard let token = item.string else { throw response.unreadable("A transaction isn't a string.") }
            return try verifiedTransaction(token, in: response.environment)
        }
    }
}
