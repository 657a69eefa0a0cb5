import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    @Test(
        "every Swift example is a file that is compiled, word for word",
        arguments: [
            ("README.md", ["AppExample", "ServerExample", "NotificationExample", "ReceiptInFiveLines"]),
            (
                "Sources/AppReceiptKit/Documentation.docc/Testing.md",
                [
                    "ReceiptInFiveLines", "WrongInOneWay", "SubscriptionExample", "LaunchInTests", "AttacksExample",
                    "SignedDataInTests",
                ]
            ),
            (
                "Sources/AppReceiptKit/Documentation.docc/ValidatingOnDevice.md",
                ["Licence", "LicenceInMain", "LicenceInXcode", "SupportText", "EarlyCustomers"]
            ),
            (
                "Sources/AppReceiptKit/Documentation.docc/ValidatingOnAServer.md",
                ["ServerExample", "ServerPurchases"]
            ),
            ("Sources/AppReceiptKit/Documentation.docc/AppReceiptKit.md", []),
            ("Sources/AppReceiptParsing/Documentation.docc/AppReceiptParsing.md", ["InspectExample"]),
            ("Sources/AppReceiptValidator/Documentation.docc/AppReceiptValidator.md", ["DropInExample"]),
            ("Sources/AppReceiptValidator/Documentation.docc/Migrating.md", []),
            (
                "Sources/AppStoreSignedData/Documentation.docc/AppStoreSignedData.md",
                ["NotificationExample", "OwnedExample"]
            ),
            ("Sources/VerifyReceipt/Documentation.docc/VerifyReceipt.md", ["VerifyReceiptExample", "HistoryExample"]),
            ("docs/server.md", ["EmbeddedServer"]),
            ("Sources/AppReceiptServer/Documentation.docc/AppReceiptServer.md", ["EmbeddedServer"]),
        ])
    func examplesAreCompiled(_ document: String, _ sources: [String]) throws {
        let blocks = try Repository.text(document).components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { !$0.hasPrefix("// swift-tools-version") }
        #expect(blocks.count == sources.count)
        for (block, source) in zip(blocks, sources) {
            var text = try Repository.text("Tests/DocumentationTests/Examples/\(source).swift")
            // What needs the trait stands behind a condition that readers do not need.
            if text.hasPrefix("#if Server\n") { text = String(text.dropFirst(11).dropLast("#endif\n".count)) }
            #expect(text == block, "\(source)")
        }
    }

    @Test("the example for servers refuses a test receipt and says why")
    func serverExampleRefuses() throws {
        let sample = try Data(contentsOf: Repository.root.appendingPathComponent("Samples/forged.receipt"))
        let (status, reason) = answer(toReceipt: sample.base64EncodedString())
        #expect(status == 422)
        #expect(reason.hasPrefix("root-not-trusted:"))
    }

    @Test("the example for apps takes no receipt of another root for a purchase, and takes one that is proven")
    func appExample() throws {
        let sample = ReceiptLocation(Repository.root.appendingPathComponent("Samples/mac-device.receipt"))
        let forged = AppLaunchValidation(
            bundleIdentifier: "com.example.app", environments: [.production, .sandbox], location: sample, device: .any)
        #expect(!hasPro(forged.validate()))
        #expect(!hasPro(launch.validate()))

        let receipt = TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try receipt.signed()).write(to: file)
        let proven = AppLaunchValidation(
            bundleIdentifier: "com.example.app", environments: [.sandbox],
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), location: ReceiptLocation(file),
            device: .any)
        #expect(hasPro(proven.validate()))
    }

    @Test("the article's licence stays locked without a receipt, and a refresh that is not to be had advises support")
    @MainActor
    func licence() async {
        #expect(!Licence.shared.hasPro)
        #expect(Licence.shared.outcome.advice == .refreshReceipt)
        #expect(Licence.shared.supportText.hasPrefix("container: input-receipt-missing\npayload: not-reached"))
        Licence.shared.validate()
        #expect(!Licence.shared.hasPro)
        // Elsewhere this would ask the store.
        #if os(Linux)
        await Licence.shared.confirmPurchases()
        #expect(!Licence.shared.hasPro)
        #expect(Licence.shared.outcome.advice == .contactSupport)
        #endif
    }

    @Test("the other examples of the articles do what they say")
    func articleExamples() throws {
        let receipt = TestReceipt().with {
            let start = $0.creationDate
            $0.originalAppVersion = "99"
            $0.purchases = [
                TestPurchase(
                    subscription: "com.example.monthly", transaction: "7", from: start, to: start + 86_400,
                    isTrial: true)
            ]
        }
        let bytes = try receipt.signed()
        let verified = try ReceiptVerifier(anchors: try TestPKI.standard.anchors).verify(
            bytes, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment))
        #expect(paidBeforeItWasFree(verified) == true)
        #expect(subscriptions(in: verified) == ["7": receipt.creationDate + 86_400])
        #expect(!offersTrial(to: verified))
        #expect(try summary(of: bytes) == "com.example.app: com.example.monthly")
        #expect(!isGenuine())
        #if DEBUG
        let certificate = try TestPKI.xcode.der()
        #expect(try AppLaunchValidation.forDebugging(certificate: certificate).validate().verified == nil)
        #endif
    }

    @Test("the example of VerifyReceipt asks for its secret and refuses a test receipt with nothing but a status")
    func verifyReceiptExample() throws {
        let receipt = try TestReceipt(bundleIdentifier: "com.example.app").signed()
        let base64 = Data(receipt).base64EncodedString()
        let without = Array(#"{"receipt-data": "\#(base64)"}"#.utf8)
        #expect(String(decoding: verifyReceipt(without), as: UTF8.self) == #"{"status":21004}"#)
        let secret = "0123456789abcdef0123456789abcdef"
        let with = Array(#"{"receipt-data": "\#(base64)", "password": "\#(secret)"}"#.utf8)
        #expect(String(decoding: verifyReceipt(with), as: UTF8.self) == #"{"status":21003}"#)
    }

    @Test(
        "every file that the documents link to exists",
        arguments: ["README.md", "THREAT_MODEL.md", "Samples/README.md"])
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
