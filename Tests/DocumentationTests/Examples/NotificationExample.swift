import AppStoreSignedData

let signedData = SignedDataVerifier()  // create one and share it between threads and requests

/// The app and its environments. In production, the app's App Store identifier is compared too.
let ofThisApp = SignedDataExpectations(
    bundleIdentifier: "com.example.app", environments: [.production, .sandbox], appAppleIdentifier: 1_234_567_890)

/// Returns the HTTP status of the response to the App Store's server.
func receive(notification body: [UInt8]) -> Int {
    do throws(ReceiptError) {
        let notification = try signedData.verifyNotification(body: body, expecting: ofThisApp)
        if let transaction = notification.transaction, transaction.environment == .production {
            print(notification.claims.notificationUUID ?? "", transaction.claims.productIdentifier ?? "")
        }
        return 200  // for unknown types too: the App Store would send the notification again
    } catch {
        return 400  // not signed by the App Store, or not for this app
    }
}
