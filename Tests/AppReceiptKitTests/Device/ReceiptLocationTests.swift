import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@Suite("ReceiptLocation")
struct ReceiptLocationTests {
    private func code(_ location: ReceiptLocation, limits: ReceiptLimits = .default) -> ReceiptError.Code? {
        captured { () throws(ReceiptError) in try location.contents(limits: limits) }?.code
    }

    @Test("The file is read unchanged")
    func reads() throws {
        try TestDirectories.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("StoreKit/receipt")
            try file.write([1, 2, 3])
            #expect(try ReceiptLocation(file).contents() == [1, 2, 3])
        }
    }

    @Test("A receipt exists if there is a file at any of the candidates, whatever it contains")
    func exists() throws {
        #expect(!ReceiptLocation(nil).exists)
        try TestDirectories.withTemporaryFolder { folder in
            let location = ReceiptLocation(appBundle: folder)
            #expect(!location.exists)
            try folder.appendingPathComponent("StoreKit/receipt").write([])
            #expect(location.exists)
        }
    }

    #if os(Linux)
    @Test("On Linux the running process has no location, which isn't a missing receipt")
    func outsideApp() {
        #expect(ReceiptLocation.mainBundle.candidates.isEmpty)
        #expect(!ReceiptLocation.mainBundle.exists)
        #expect(code(.mainBundle) == .inputLocationMissing)
        #expect(ReceiptLocation.mainBundle != ReceiptLocation(nil))
    }
    #endif

    @Test("Missing, empty, unreadable and large receipts have different codes")
    func failures() throws {
        #expect(code(ReceiptLocation(nil)) == .inputReceiptMissing)
        try TestDirectories.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("receipt")
            #expect(code(ReceiptLocation(file)) == .inputReceiptMissing)
            #expect(code(ReceiptLocation(file.appendingPathComponent("below"))) == .inputReceiptMissing)
            try file.write([])
            #expect(code(ReceiptLocation(file)) == .inputEmpty)
            try file.write([0x30, 0])
            var limits = ReceiptLimits.default
            limits.maxInputBytes = 1
            #expect(code(ReceiptLocation(file), limits: limits) == .inputTooLarge)
            // Devices and broken links exist but aren't readable files.
            #expect(code(ReceiptLocation(URL(fileURLWithPath: "/dev/null"))) == .inputUnreadable)
            let link = folder.appendingPathComponent("link")
            try FileManager.default.createSymbolicLink(
                at: link, withDestinationURL: folder.appendingPathComponent("nowhere"))
            #expect(code(ReceiptLocation(link)) == .inputUnreadable)
            let subfolder = folder.appendingPathComponent("folder")
            try FileManager.default.createDirectory(at: subfolder, withIntermediateDirectories: true)
            #expect(code(ReceiptLocation(subfolder)) == .inputReceiptMissing)
        }
    }

    @Test("A Mac's receipt is read from the app bundle")
    func appBundle() throws {
        try TestDirectories.withTemporaryFolder { folder in
            let app = folder.appendingPathComponent("Garden.app")
            #expect(code(ReceiptLocation(appBundle: app)) == .inputReceiptMissing)
            try app.appendingPathComponent("Contents/_MASReceipt/receipt").write([7])
            #expect(try ReceiptLocation(appBundle: app).contents() == [7])
            #expect(
                ReceiptLocation(appBundle: app).candidates.first?.path.hasSuffix(
                    "Garden.app/Contents/_MASReceipt/receipt") == true)
            #expect(!ReceiptLocation(appBundle: app).suggestsSandbox)
        }
    }

    @Test("The file name suggests the sandbox or TestFlight before there is a receipt")
    func sandboxName() {
        let folder = URL(fileURLWithPath: "/data/StoreKit")
        #expect(ReceiptLocation(folder.appendingPathComponent("sandboxReceipt")).suggestsSandbox)
        #expect(!ReceiptLocation(folder.appendingPathComponent("receipt")).suggestsSandbox)
        #expect(!ReceiptLocation(nil).suggestsSandbox)
    }

    #if os(Linux)
    @Test("A system without receipts has no location")
    func mainBundle() {
        #expect(ReceiptLocation.mainBundle.candidates.isEmpty)
    }
    #endif
}
