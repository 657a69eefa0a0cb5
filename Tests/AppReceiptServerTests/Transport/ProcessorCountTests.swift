#if Server
import NIOCore
import Testing

@testable import AppReceiptServer

@Suite("ProcessorCount")
struct ProcessorCountTests {
    @Test(
        "The processors in the affinity mask are counted",
        arguments: [
            ("Cpus_allowed:\t1\n", 1), ("Name:\tx\nCpus_allowed:\tf0\nCpus_allowed_list:\t4-7\n", 4),
            ("Cpus_allowed:\tffffffff,00000003\n", 34), ("Cpus_allowed:\t0\n", nil), ("Name:\tx\n", nil),
        ] as [(String, Int?)])
    func mask(_ status: String, _ count: Int?) {
        #expect(ProcessorCount.affinityCount(in: status) == count)
    }

    @Test("There is at least one processor, and at most as many as the system has")
    func available() { #expect((1...System.coreCount).contains(ProcessorCount.available)) }
}
#endif
