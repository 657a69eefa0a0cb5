import AppReceiptParsing
import Foundation
import TestSupport
import Testing

@Suite("Receipt files")
struct ReceiptFileTests {
    @Test("The contents of a file are its bytes")
    func file() throws {
        try TestDirectories.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("any name.b64")
            try file.write([1, 2, 3])
            #expect(try ReceiptFile.contents(atPath: file.path) == [1, 2, 3])
            try file.write([])
            #expect(try ReceiptFile.contents(atPath: file.path) == [])
        }
    }

    @Test(
        "The receipt in a bundle is found in each platform's place",
        arguments: [
            "Contents/_MASReceipt/receipt", "StoreKit/receipt", "StoreKit/sandboxReceipt", "_MASReceipt/receipt",
        ])
    func bundle(place: String) throws {
        try TestDirectories.withTemporaryFolder { folder in
            let bundle = folder.appendingPathComponent("Example.app")
            try bundle.appendingPathComponent(place).write([1, 2, 3])
            #expect(try ReceiptFile.contents(atPath: bundle.path) == [1, 2, 3])
            #expect(try ReceiptFile.contents(atPath: bundle.path + "/") == [1, 2, 3])
        }
    }

    @Test("The Mac's place has precedence")
    func order() throws {
        try TestDirectories.withTemporaryFolder { folder in
            try folder.appendingPathComponent("StoreKit/sandboxReceipt").write([3])
            #expect(try ReceiptFile.contents(atPath: folder.path) == [3])
            try folder.appendingPathComponent("StoreKit/receipt").write([2])
            #expect(try ReceiptFile.contents(atPath: folder.path) == [2])
            try folder.appendingPathComponent("Contents/_MASReceipt/receipt").write([1])
            #expect(try ReceiptFile.contents(atPath: folder.path) == [1])
        }
    }

    @Test("A missing receipt in a bundle and an unreadable one have different codes")
    func missing() throws {
        try TestDirectories.withTemporaryFolder { folder in
            expectFailure(.inputReceiptMissing, check: .input) { try ReceiptFile.contents(atPath: folder.path) }
            // A folder instead of the receipt.
            try folder.appendingPathComponent("Contents/_MASReceipt/receipt/file").write([1])
            expectFailure(.inputUnreadable, check: .input) { try ReceiptFile.contents(atPath: folder.path) }
        }
    }

    @Test("A missing file is unreadable")
    func noFile() throws {
        try TestDirectories.withTemporaryFolder { folder in
            let path = folder.appendingPathComponent("nothing").path
            expectFailure(.inputUnreadable, check: .input) { try ReceiptFile.contents(atPath: path) }
        }
        expectFailure(.inputUnreadable) { try ReceiptFile.contents(atPath: "") }
    }

    @Test("A file larger than the limit is rejected")
    func size() throws {
        var limits = ReceiptLimits()
        limits.maxInputBytes = 100
        try TestDirectories.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("receipt")
            try file.write([UInt8](repeating: 7, count: 100))
            #expect(try ReceiptFile.contents(atPath: file.path, limits: limits).count == 100)
            try file.write([UInt8](repeating: 7, count: 101))
            expectFailure(.inputTooLarge, check: .input) { try ReceiptFile.contents(atPath: file.path, limits: limits) }
        }
    }

    @Test("The size of a link is that of its target")
    func linkSize() throws {
        var limits = ReceiptLimits()
        limits.maxInputBytes = 100
        try TestDirectories.withTemporaryFolder { folder in
            let file = folder.appendingPathComponent("receipt")
            let link = folder.appendingPathComponent("link")
            try file.write([UInt8](repeating: 7, count: 100))
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
            #expect(try ReceiptFile.contents(atPath: link.path, limits: limits).count == 100)
            try file.write([UInt8](repeating: 7, count: 101))
            expectFailure(.inputTooLarge) { try ReceiptFile.contents(atPath: link.path, limits: limits) }
        }
    }
}
