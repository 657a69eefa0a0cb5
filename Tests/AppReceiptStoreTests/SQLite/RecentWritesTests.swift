#if Server
import Testing

@testable import AppReceiptStore

@Suite("RecentWrites")
struct RecentWritesTests {
    @Test("A write that began before everything was forgotten isn't remembered")
    func forgotten() {
        var writes = RecentWrites(capacity: 10)
        let write = ContentDigest.sha256(of: [1] as [UInt8], kind: .transaction)
        let generation = writes.generation
        writes.insert(write, of: generation)
        let isRemembered = writes.contains(write)
        #expect(isRemembered)
        writes.forget()
        writes.insert(write, of: generation)
        let isRememberedLate = writes.contains(write)
        #expect(!isRememberedLate)
        writes.insert(write, of: writes.generation)
        let isRememberedAgain = writes.contains(write)
        #expect(isRememberedAgain)
    }
}
#endif
