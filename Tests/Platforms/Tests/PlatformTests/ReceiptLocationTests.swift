import Foundation
import Testing

@testable import AppReceiptKit

extension PlatformTests {
    @Suite("ReceiptLocation")
    struct ReceiptLocationTests {
        #if SHAPE_MACOS
        @Test("Without a location from the system, a Mac's receipt is in the app bundle")
        func mainBundle() {
            let bundle = URL(fileURLWithPath: "/Applications/My.app")
            let first = ReceiptLocation(of: nil, in: bundle).candidates.first
            #expect(first?.path == "/Applications/My.app/Contents/_MASReceipt/receipt")
            let receipt = URL(fileURLWithPath: "/receipt")
            #expect(ReceiptLocation(of: receipt, in: bundle).candidates == [receipt])
        }

        @Test("A Mac process without a bundle has no location, and the outcome advises no refresh")
        func launch() {
            let tool = URL(fileURLWithPath: "/usr/local/bin")
            let receipt = URL(fileURLWithPath: "/usr/local/bin/Contents/_MASReceipt/receipt")
            #expect(ReceiptLocation(of: receipt, in: tool) == .outsideApp)
            let launch = AppLaunchValidation(
                bundleIdentifier: "com.example.app", environments: [.production],
                location: ReceiptLocation(of: receipt, in: tool))
            let outcome = launch.validate()
            #expect(outcome.error?.code == .inputLocationMissing)
            #expect(outcome.nextStep == .fixConfiguration)
            #expect(outcome.customerAction == outcome.error?.remedy)
        }
        #else
        @Test("Without a location from the system, there is no receipt")
        func mainBundle() {
            #expect(ReceiptLocation.mainBundle.candidates.isEmpty)
        }

        @Test("A missing receipt advises a refresh")
        func launch() {
            let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production])
            let outcome = launch.validate()
            #expect(outcome.error?.code == .inputReceiptMissing)
            #expect(outcome.nextStep == .refreshReceipt)
            #expect(outcome.verified == nil)
        }
        #endif

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
