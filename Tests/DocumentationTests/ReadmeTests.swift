import AppReceiptKit
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    @Test(
        "every Swift example is a file that is compiled, word for word",
        arguments: [
            ("README.md", ["AppExample", "ServerExample", "ReceiptInFiveLines"]),
            ("docs/testing.md", ["ReceiptInFiveLines", "WrongInOneWay", "SubscriptionExample"]),
        ])
    func examplesAreCompiled(_ document: String, _ sources: [String]) throws {
        let blocks = try Repository.text(document).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { !$0.hasPrefix("// swift-tools-version") }
        #expect(blocks.count == sources.count)
        for (block, source) in zip(blocks, sources) {
            #expect(try Repository.text("Tests/DocumentationTests/Examples/\(source).swift") == block, "\(source)")
        }
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
        let url = Repository.root.appendingPathComponent("Samples/production-subscriptions.receipt")
        #expect(!hasPro(receiptURL: url, vendorIdentifier: UUID(uuidString: "956328D9-CC6A-47F4-BE40-6953FB0AB6C7")))
        #expect(!hasPro(receiptURL: url, vendorIdentifier: nil))
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
