#if SHAPE_IOS || SHAPE_WATCHOS
import AppReceiptKit
import Dispatch
import Foundation
import Testing
import VendorScript

extension PlatformTests {
    @Suite("VendorIdentifierLookup")
    struct VendorIdentifierLookupTests {
        static let identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

        @Test("The identifier for vendor is available on the main thread")
        @MainActor
        func onMainThread() throws {
            VendorScript.answer(Self.identifier)
            #expect(try DeviceIdentifier.current().map(\.bytes) == [Array(1...16)])
        }

        @Test("The identifier for vendor is available synchronously on another thread")
        func onAnotherThread() async throws {
            await VendorScript.answer(Self.identifier)
            let found = await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    #expect(!Thread.isMainThread)
                    continuation.resume(returning: try? DeviceIdentifier.current())
                }
            }
            #expect(found?.map(\.bytes) == [Array(1...16)])
        }

        @Test("A missing identifier before the first unlock is an error")
        func none() async {
            await VendorScript.answer(nil)
            #expect(throws: ReceiptError.self) { try DeviceIdentifier.current() }
            do {
                _ = try DeviceIdentifier.current()
            } catch {
                #expect(error.code == .deviceIdentifierMissing)
                #expect(error.remedy.contains("first unlocked"))
            }
        }
    }
}
#endif
