import AppReceiptKit
import Foundation

/// A copy of the app's receipt for its extensions, which have no receipt of their own.
struct SharedReceipt {
    /// The file in the folder of the app group.
    let file: URL

    /// Copies the receipt, if there is one. The app calls it at launch and after each purchase.
    func update(from receipt: ReceiptLocation = .mainBundle) throws {
        guard receipt.exists else { return }
        try Data(try receipt.contents()).write(to: file, options: .atomic)
    }

    /// The validation for the extension. It verifies the copy, because anyone can write a file.
    func launch() -> AppLaunchValidation {
        AppLaunchValidation(
            bundleIdentifier: "com.example.garden", environments: [.production, .sandbox],
            location: ReceiptLocation(file))
    }
}
