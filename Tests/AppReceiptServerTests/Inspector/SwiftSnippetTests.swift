#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing
import AppReceiptSupport

@testable import AppReceiptServer

/// What the page gives for pasting compiles: the files beside this one are what it gives, but for the input.
@Suite struct SwiftSnippetTests {
    private func file(_ name: String) throws -> String {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
        return try String(contentsOf: url, encoding: .utf8)
    }

    @Test func theReceiptsSnippetCompiles() throws {
        let bytes = try TestReceipt(bundleIdentifier: "com.example.app").signed()
        let document = try Asking().document(bytes, ["appVersion": "1"])
        let snippet = try #require(document["swift"]?.string)
        let base64 = Data(bytes).base64EncodedString()
        #expect(snippet.contains(base64))
        #expect(snippet.replacingOccurrences(of: base64, with: "…") == (try file("ReceiptSnippet.swift")))
        // Compiled, and refused: it holds no receipt.
        #expect(checkThisReceipt() == nil)
    }

    @Test func theSignedDatasSnippetCompiles() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let snippet = try #require(try Asking().document(token)["swift"]?.string)
        #expect(snippet.replacingOccurrences(of: token, with: "…") == (try file("SignedDataSnippet.swift")))
        #expect(throws: ReceiptError.self) { try checkSignedData() }
    }

    @Test(arguments: ["\"", "\\", "\\(exit(1))", "\n", "\u{202E}", "é", "\"\"\"", "a\"; exit(1); \""])
    func textOfAReceiptStaysInItsLiteral(text: String) {
        let literal = SwiftSnippet.literal(text)
        #expect(literal.hasPrefix("\"") && literal.hasSuffix("\""))
        let inside = literal.dropFirst().dropLast()
        #expect(!inside.contains("\""))
        #expect(inside.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
        // Every reverse solidus begins an escape of a scalar.
        #expect(!inside.replacingOccurrences(of: "\\u{", with: "").contains("\\"))
    }

    @Test func largeReceiptsAreReadFromAFile() throws {
        var receipt = TestReceipt(bundleIdentifier: "com.example.app")
        receipt.purchases = (0..<100).map { TestPurchase("pro", transaction: String($0), at: receipt.creationDate) }
        let snippet = try #require(try Asking().document(try receipt.signed())["swift"]?.string)
        #expect(!snippet.contains("MII") && snippet.contains("URL(fileURLWithPath:"))
    }
}
#endif
