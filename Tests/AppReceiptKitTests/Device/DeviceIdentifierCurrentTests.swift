import AppReceiptKit
import Testing

/// Tests/Platforms tests the lookups of Apple's platforms.
@Suite("DeviceIdentifier.current")
struct DeviceIdentifierCurrentTests {
    #if os(Linux)
    @Test("A system without receipts has an error with a remedy for servers")
    func unsupported() {
        let error = captured { () throws(ReceiptError) in try DeviceIdentifier.current() }
        #expect(error?.code == .deviceIdentifierUnsupported)
        #expect(error?.remedy.contains("accept any device") == true)
    }
    #endif
}
