#if Server
import Testing

@testable import AppReceiptStore

@Suite("RecentWrites")
struct RecentWritesTests {
    @Test("A write that was committed before purchases were forgotten isn't remembered")
    func forgotten() {
        var writes = RecentWrites(capacity: 10)
        let write = ContentDigest.sha256(of: [1] as [UInt8], kind: .transaction)
        var isRemembered: [Bool] = []
        writes.insert(write, of: 1)
        isRemembered.append(writes.contains(write, in: 1))
        isRemembered.append(writes.contains(write, in: 2))
        writes.insert(write, of: 1)
        isRemembered.append(writes.contains(write, in: 2))
        writes.insert(write, of: 2)
        isRemembered.append(writes.contains(write, in: 2))
        #expect(isRemembered == [true, false, false, true])
    }
}
#endif
