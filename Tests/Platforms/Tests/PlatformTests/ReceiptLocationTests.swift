import AppReceiptKit
import Foundation
import Testing

extension PlatformTests {
    @Suite("ReceiptLocation")
    struct ReceiptLocationTests {
        #if SHAPE_MACOS || SHAPE_CATALYST
        @Test("Without a location from the system, a Mac's receipt is in the app bundle")
        func mainBundle() {
            let first = ReceiptLocation.mainBundle.candidates.first
            #expect(first?.path.hasSuffix("/Contents/_MASReceipt/receipt") == true)
            #expect(first?.path.hasPrefix(Bundle.main.bundleURL.path) == true)
        }
        #else
        @Test("Without a location from the system, there is no receipt")
        func mainBundle() {
            #expect(ReceiptLocation.mainBundle.candidates.isEmpty)
        }
        #endif

        @Test("A missing receipt advises a refresh")
        func launch() async {
            let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production])
            let outcome = launch.validate()
            #expect(outcome.error?.code == .inputReceiptMissing)
            #expect(outcome.nextStep == .refreshReceipt)
            #expect(outcome.verified == nil)
        }

        #if SHAPE_WATCHOS
        @Test("A sandbox location on a watch has both file names")
        func watch() {
            let folder = URL(fileURLWithPath: "/data/StoreKit")
            let location = ReceiptLocation(folder.appendingPathComponent("sandboxReceipt"))
            #expect(location.candidates.map(\.lastPathComponent) == ["sandboxReceipt", "receipt"])
            #expect(location.suggestsSandbox)
        }
        #else
        @Test("A sandbox location has only its own file name")
        func sandbox() {
            let folder = URL(fileURLWithPath: "/data/StoreKit")
            let location = ReceiptLocation(folder.appendingPathComponent("sandboxReceipt"))
            #expect(location.candidates.map(\.lastPathComponent) == ["sandboxReceipt"])
        }
        #endif
    }
}
