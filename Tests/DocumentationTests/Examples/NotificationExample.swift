import AppStoreSignedData

let signedData = SignedDataVerifier()  // make one, not one for each request; share it between threads

/// The app, and what it accepts; its number in the App Store is compared in production.
let ofThisApp = SignedDataExpectations(
    bundleIdentifier: "com.example.app", environments: [.production, .sandbox], appAppleIdentifier: 1_234_567_890)

/// The HTTP status with which to answer the App Store's server.
func receive(notification body: [UInt8]) -> Int {
    do throws(ReceiptError) {
        let notification = try signedData.verifyNotification(body: body, expecting: ofThisApp)
        if let transaction = notification.transaction, transaction.environment == .production {
            print(notification.claims.notificationUUID ?? "", transaction.claims.productIdentifier ?? "")
        }
        return 200  // also for types that are not known: it would be sent again
    } catch {
        return 400  // not from the App Store, or not for this app
    }
}
