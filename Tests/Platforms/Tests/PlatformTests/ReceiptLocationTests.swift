import AppReceiptKit
import Foundation
import Testing

extension PlatformTests {
    @Suite("ReceiptLocation")
    struct ReceiptLocationTests {
        #if SHAPE_MACOS || SHAPE_CATALYST
        @Test("a Mac that names no place is looked for a receipt in its bundle")
        func mainBundle() {
            let first = ReceiptLocation.mainBundle.candidates.first
            #expect(first?.path.hasSuffix("/Contents/_MASReceipt/receipt") == true)
            #expect(first?.path.hasPrefix(Bundle.main.bundleURL.path) == true)
        }
        #else
        @Test("where the system names no place there is no receipt")
        func mainBundle() {
            #expect(ReceiptLocation.mainBundle.candidates.isEmpty)
        }
        #endif

        @Test("without a receipt the app runs on and is told to refresh")
        func launch() async {
            let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production])
            let outcome = launch.validate()
            #expect(outcome.error?.code == .inputReceiptMissing)
            #expect(outcome.advice == .refreshReceipt)
            #expect(outcome.verified == nil)
        }

        #if SHAPE_WATCHOS
        @Test("a watch that names the sandbox's file is looked for the other name too")
        func watch() {
            let folder = URL(fileURLWithPath: "/data/StoreKit")
            let location = ReceiptLocation(folder.appendingPathComponent("sandboxReceipt"))
            #expect(location.candidates.map(\.lastPathComponent) == ["sandboxReceipt", "receipt"])
            #expect(location.suggestsSandbox)
        }
        #else
        @Test("the sandbox's file is looked for under its name only")
        func sandbox() {
            let folder = URL(fileURLWithPath: "/data/StoreKit")
            let location = ReceiptLocation(folder.appendingPathComponent("sandboxReceipt"))
            #expect(location.candidates.map(\.lastPathComponent) == ["sandboxReceipt"])
        }
        #endif
    }
}
