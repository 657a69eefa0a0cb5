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

    @Test("a receipt is read as it is")
    func reads() throws {
        try Places.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("StoreKit/receipt")
            try file.write([1, 2, 3])
            #expect(try ReceiptLocation(file).contents() == [1, 2, 3])
        }
    }

    @Test("no receipt, an empty one, one that cannot be read and one that is too large are told apart")
    func tellsApart() throws {
        #expect(code(ReceiptLocation(nil)) == .inputReceiptMissing)
        try Places.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("receipt")
            #expect(code(ReceiptLocation(file)) == .inputReceiptMissing)
            #expect(code(ReceiptLocation(file.appendingPathComponent("below"))) == .inputReceiptMissing)
            try file.write([])
            #expect(code(ReceiptLocation(file)) == .inputEmpty)
            try file.write([0x30, 0])
            var limits = ReceiptLimits.default
            limits.inputBytes = 1
            #expect(code(ReceiptLocation(file), limits: limits) == .inputTooLarge)
            // Something that is there and is no file: a device, and a link that leads nowhere is no receipt.
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

    @Test("the app of a Mac is looked into")
    func appBundle() throws {
        try Places.withTemporaryFolder { folder in
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

    @Test("the name tells sandbox and TestFlight on iOS, before there is a receipt")
    func sandboxName() {
        let folder = URL(fileURLWithPath: "/data/StoreKit")
        #expect(ReceiptLocation(folder.appendingPathComponent("sandboxReceipt")).suggestsSandbox)
        #expect(!ReceiptLocation(folder.appendingPathComponent("receipt")).suggestsSandbox)
        #expect(!ReceiptLocation(nil).suggestsSandbox)
    }

    #if os(Linux)
    @Test("where the system keeps no receipts there is none")
    func mainBundle() {
        #expect(ReceiptLocation.mainBundle.candidates.isEmpty)
    }
    #endif
}
