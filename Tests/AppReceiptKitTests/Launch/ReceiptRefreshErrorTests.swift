import AppReceiptKit
import Foundation
import Testing

@Suite("ReceiptRefreshError")
struct ReceiptRefreshErrorTests {
    @Test("Every code has a unique name, a cause and a remedy")
    func codes() {
        let all = ReceiptRefreshError.Code.all
        #expect(Set(all.map(\.rawValue)).count == all.count)
        for code in all {
            #expect(code.rawValue.hasPrefix("refresh-"))
            #expect(code.cause.hasSuffix("."))
            #expect(code.remedy.hasSuffix("."))
        }
    }

    @Test("Errors are equal by code, and their descriptions contain the App Store's error")
    func description() {
        let plain = ReceiptRefreshError(.failed)
        let store = ReceiptRefreshError(.failed, appStoreError: .init(domain: "SKErrorDomain", number: 2))
        #expect(plain == store)
        #expect(Set([plain, store]).count == 1)
        #expect(plain != ReceiptRefreshError(.tooSoon))
        #expect(plain.description.hasSuffix("[refresh-failed]"))
        #expect(store.description.hasSuffix("[refresh-failed, SKErrorDomain 2]"))
        #expect((store as any Error).localizedDescription.contains("SKErrorDomain 2"))
        #expect(store.recoverySuggestion == store.remedy)
    }
}
