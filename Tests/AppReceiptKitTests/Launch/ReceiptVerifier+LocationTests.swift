import AppReceiptKit
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@Suite("ReceiptVerifier: files and bundles")
struct ReceiptVerifierLocationTests {
    private let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])

    /// Calls `body` with an empty directory, and removes it afterwards.
    private func withDirectory(_ body: (URL) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try body(directory)
    }

    @Test("A receipt is verified from a file, an app bundle and a location")
    func verifies() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        try withDirectory { directory in
            let bundle = directory.appendingPathComponent("Garden.app")
            let folder = bundle.appendingPathComponent("Contents/_MASReceipt")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("receipt")
            try Data(TestReceipt().signed()).write(to: file)
            let direct = try verifier.verify(contentsOf: file, expecting: expectations)
            #expect(direct.receipt.bundleIdentifier == "com.example.app")
            #expect(try verifier.verify(contentsOf: bundle, expecting: expectations) == direct)
            let location = ReceiptLocation(appBundle: bundle)
            #expect(try verifier.verify(contentsOf: location, expecting: expectations) == direct)
        }
    }

    @Test("A missing receipt, an unreadable path and a receipt of another app are errors with their own codes")
    func failures() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        try withDirectory { directory in
            let error = captured { () throws(ReceiptError) in
                try verifier.verify(contentsOf: directory, expecting: expectations)
            }
            #expect(error?.code == .inputReceiptMissing)
            let nowhere = directory.appendingPathComponent("nothing")
            let unreadable = captured { () throws(ReceiptError) in
                try verifier.verify(contentsOf: nowhere, expecting: expectations)
            }
            #expect(unreadable?.code == .inputUnreadable)
            let missing = captured { () throws(ReceiptError) in
                try verifier.verify(contentsOf: ReceiptLocation(nil), expecting: expectations)
            }
            #expect(missing?.code == .inputReceiptMissing)
            let file = directory.appendingPathComponent("receipt")
            try Data(TestReceipt().signed()).write(to: file)
            let other = Expectations(bundleIdentifier: "com.example.other", environments: .anyEnvironment)
            let mismatch = captured { () throws(ReceiptError) in
                try verifier.verify(contentsOf: file, expecting: other)
            }
            #expect(mismatch?.code == .bundleIdentifierMismatch)
        }
    }
}
