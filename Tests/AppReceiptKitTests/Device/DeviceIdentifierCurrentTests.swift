import AppReceiptKit
import Testing

/// What the lookups find on Apple's platforms is tested in Tests/Platforms.
@Suite("DeviceIdentifier.current")
struct DeviceIdentifierCurrentTests {
    #if os(Linux)
    @Test("a system for which no receipts are made says so, and what to do on a server")
    func unsupported() {
        let error = captured { () throws(ReceiptError) in try DeviceIdentifier.current() }
        #expect(error?.code == .deviceIdentifierUnsupported)
        #expect(error?.remedy.contains(".anyDevice") == true)
    }
    #endif
}
