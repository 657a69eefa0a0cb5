import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Examples for the device")
struct DeviceExampleTests {
    private let garden = "com.example.garden"

    /// Calls `body` with the URL of a file in a temporary folder.
    private func withFile<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appendingPathComponent("receipt"))
    }

    @Test("The copy for an extension has the receipt's bytes, and is verified")
    func sharedReceipt() throws {
        let receipt = try TestReceipt(bundleIdentifier: garden).signed()
        try withFile { file in
            let shared = SharedReceipt(file: file.appendingPathExtension("copy"))
            try shared.update(from: ReceiptLocation(file))
            #expect(shared.launch().validate().error?.code == .inputReceiptMissing)
            try Data(receipt).write(to: file)
            try shared.update(from: ReceiptLocation(file))
            #expect(try Data(contentsOf: shared.file) == Data(receipt))
            // The example trusts Apple's roots only.
            #expect(shared.launch().validate().error?.code == .rootNotTrusted)
        }
    }

    @Test("The receipt of the app that contains an extension is in the app's bundle")
    func containingApp() {
        let widget = URL(fileURLWithPath: "/Applications/Garden.app/Contents/PlugIns/Widget.appex", isDirectory: true)
        let location = ReceiptLocation.ofApp(containing: widget)
        #expect(location.candidates.first?.path == "/Applications/Garden.app/Contents/_MASReceipt/receipt")
    }

    @Test("The limit of exports is that of the proven purchases")
    func exportLimits() throws {
        #expect(exportLimit() == 20)
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let (own, other) = (DeviceIdentifier(UUID()), DeviceIdentifier(UUID()))
        let free = TestReceipt(bundleIdentifier: garden).with { $0.device = own }
        let paid = free.with { $0.purchases = [TestPurchase("com.example.garden.pro", transaction: "1")] }
        for (receipt, limit) in [(free, 20), (paid, 2_000)] {
            try withFile { file in
                try Data(try receipt.signed()).write(to: file)
                let location = ReceiptLocation(file)
                #expect(exportLimit(receipt: location, verifier: verifier) { [own] } == limit)
                #expect(exportLimit(receipt: location) { [own] } == 20, "Apple didn't sign it.")
                #expect(exportLimit(receipt: location, verifier: verifier) { [other] } == 20, "It was copied.")
                #expect(exportLimit(receipt: location, verifier: verifier) { throw CancellationError() } == 20)
            }
        }
    }

    @Test("The license is personal, of an organization, or ended")
    func volumeLicense() throws {
        let personal = TestReceipt().with { $0.originalAppVersion = "99" }
        #expect(
            license(of: try personal.verified()) == "bought or downloaded by a person, first in version 99")
        let organization = TestReceipt().with { $0.environment = .productionVPP }
        #expect(license(of: try organization.verified()) == "licensed by an organization")
        let end = organization.creationDate + 86_400
        let assigned = organization.with { $0.expirationDate = end }
        let verified = try ReceiptVerifier(anchors: try TestPKI.standard.anchors).verify(
            try assigned.signed(), expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
            now: assigned.creationDate)
        #expect(license(of: verified, at: end - 1) == "licensed by an organization until \(end)")
        #expect(license(of: verified, at: end) == "licensed by an organization, ended on \(end)")
    }

    @Test("The parts of a container are the payload and three certificates")
    func containerParts() throws {
        let receipt = TestReceipt()
        let (payload, certificates) = try parts(of: Data(try receipt.signed()))
        #expect(payload == Data(receipt.payload))
        #expect(certificates.count == 3)
    }
}
