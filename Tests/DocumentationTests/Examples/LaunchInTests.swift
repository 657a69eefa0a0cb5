import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

/// A stand-in for the App Store: writes a receipt where the app looks for it.
struct FakeStore: ReceiptRefreshing {
    let receipt: [UInt8]
    let url: URL

    func perform() async throws { try Data(receipt).write(to: url) }
}

@Test func refreshUnlocks() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    let store = FakeStore(receipt: try TestReceipt(bundleIdentifier: "com.example.app").signed(), url: url)
    let launch = AppLaunchValidation(
        bundleIdentifier: "com.example.app", environments: [.production, .sandbox],
        verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), location: ReceiptLocation(url),
        devices: .anyDevice, refresher: ReceiptRefresher(request: store))
    #expect(launch.validate().nextStep == .refreshReceipt)
    let outcome = await launch.refresh()
    #expect(outcome.verified != nil)
}
