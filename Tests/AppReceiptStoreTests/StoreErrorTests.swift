#if Server
import AppReceiptStore
import Foundation
import Testing

@Suite("StoreError")
struct StoreErrorTests {
    @Test("Errors say what to do, and end with their codes", arguments: StoreError.Code.allCases)
    func texts(_ code: StoreError.Code) {
        let text = StoreError(code, databaseCode: "SQLite 14").description
        // Nothing can be done about these: the server is stopping, the limits aren't settings, and nothing failed.
        let isExplanation = [.closed, .tooMuchEvidence, .canceled].contains(code)
        #expect(text.components(separatedBy: ". ").count >= 3 || isExplanation, "The problem, then what to do.")
        #expect(text.hasSuffix(". [\(code.rawValue), SQLite 14]"))
        #expect(StoreError(code).description.hasSuffix(". [\(code.rawValue)]"))
        #expect(code.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
    }
}
#endif
