import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    @Test(
        "every Swift example is compiled, word for word",
        arguments: [("README.md", "ReadmeExamples.swift", 3), ("docs/testing.md", "TestingExamples.swift", 2)])
    func examplesAreCompiled(_ document: String, _ source: String, _ count: Int) throws {
        let blocks = try Repository.text(document).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { !$0.hasPrefix(".package(") }
        let compiled = try Repository.text("Tests/DocumentationTests/\(source)")
        #expect(blocks.count == count)
        for block in blocks {
            let code = block.components(separatedBy: "\n").filter { !$0.hasPrefix("import ") }
                .joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(compiled.contains(code), "not in \(source): \(code.prefix(80))")
        }
    }

    @Test("the examples for tests do what they say")
    func testingExamples() throws {
        #expect(try purchaseUnlocksPro())
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        for (receipt, code) in try wrongInOneWay() {
            let report = verifier.report(
                receipt, expecting: Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox]))
            #expect(report.failure?.code == code)
        }
    }

    @Test("the example for tests gives a verified receipt with its purchase")
    func testExampleVerifies() throws {
        let verified = try verifiedTestReceipt()
        #expect(verified.receipt.purchases.map(\.productIdentifier) == ["com.example.pro"])
        #expect(verified.environment == .sandbox)
    }

    @Test("the example for servers refuses a test receipt and says why")
    func serverExampleRefuses() throws {
        let sample = try Data(contentsOf: Repository.root.appendingPathComponent("Samples/forged.receipt"))
        let (status, reason) = answer(toReceipt: sample.base64EncodedString())
        #expect(status == 422)
        #expect(reason.hasPrefix("root-not-trusted:"))
    }

    @Test("the example for apps takes no receipt of another root for a purchase")
    func appExampleRefuses() throws {
        let path = Repository.root.appendingPathComponent("Samples/production-subscriptions.receipt").path
        let identifier = try #require(UUID(uuidString: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7"))
        #expect(!hasPro(receiptFile: path, vendorIdentifier: identifier))
    }

    @Test(
        "every file that the documents link to exists",
        arguments: ["README.md", "Samples/README.md", "docs/testing.md"])
    func linksLead(_ path: String) throws {
        let folder = Repository.root.appendingPathComponent(path).deletingLastPathComponent()
        let targets = try Repository.text(path).components(separatedBy: "](").dropFirst()
            .compactMap { $0.components(separatedBy: ")").first }.filter { !$0.hasPrefix("http") }
        for target in targets {
            #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(target).path), "\(target)")
        }
        #expect(path != "README.md" || !targets.isEmpty)
    }
}
