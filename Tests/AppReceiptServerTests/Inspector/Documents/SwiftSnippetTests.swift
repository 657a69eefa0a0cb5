#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing
import AppReceiptSupport

@testable import AppReceiptServer

/// Compares the snippets of the page with the snippet files in this folder, which are compiled.
@Suite("SwiftSnippet")
struct SwiftSnippetTests {
    private func file(_ name: String) throws -> String {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(name)
        return try String(contentsOf: url, encoding: .utf8)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The snippet for a receipt compiles")
    func receipt() throws {
        let bytes = try TestReceipt(bundleIdentifier: "com.example.app").signed()
        let document = try InspectorClient().document(bytes, ["app-version": "1"])
        let snippet = try #require(document["swift"]?.string)
        let base64 = Data(bytes).base64EncodedString()
        #expect(snippet.contains(base64))
        #expect(snippet.replacingOccurrences(of: base64, with: "…") == (try file("ReceiptSnippet.swift")))
        // The compiled file contains no receipt.
        #expect(checkThisReceipt() == nil)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The snippet for signed data compiles")
    func signedData() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let snippet = try #require(try InspectorClient().document(token)["swift"]?.string)
        #expect(snippet.replacingOccurrences(of: token, with: "…") == (try file("SignedDataSnippet.swift")))
        #expect(throws: ReceiptError.self) { try checkSignedData() }
    }

    @Test(
        "Text of a receipt stays within its string literal",
        arguments: ["\"", "\\", "\\(exit(1))", "\n", "\u{202E}", "é", "\"\"\"", "a\"; exit(1); \""])
    func literals(text: String) {
        let literal = SwiftSnippet.literal(text)
        #expect(literal.hasPrefix("\""))
        #expect(literal.hasSuffix("\""))
        let inside = literal.dropFirst().dropLast()
        #expect(!inside.contains("\""))
        #expect(inside.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
        // Every backslash begins the escape of a scalar.
        #expect(!inside.replacingOccurrences(of: "\\u{", with: "").contains("\\"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The snippet reads a large receipt from a file")
    func largeReceipt() throws {
        var receipt = TestReceipt(bundleIdentifier: "com.example.app")
        receipt.purchases = (0..<100).map { TestPurchase("pro", transaction: String($0), at: receipt.creationDate) }
        let snippet = try #require(try InspectorClient().document(try receipt.signed())["swift"]?.string)
        #expect(!snippet.contains("MII"))
        #expect(snippet.contains("URL(fileURLWithPath:"))
    }
}
#endif
