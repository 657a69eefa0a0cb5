import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    @Test(
        "Every Swift example is the text of a compiled file",
        arguments: [
            (
                "README.md",
                [
                    "OwnershipExample", "RunningAppExample", "AppExample", "ServerExample", "NotificationExample",
                    "ReceiptInFiveLines",
                ]
            ),
            (
                "Sources/AppReceiptKit/Documentation.docc/Testing.md",
                [
                    "ReceiptInFiveLines", "WrongInOneWay", "RefundExample", "XcodeExample", "LaunchInTests",
                    "AttacksExample", "SignedDataInTests",
                ]
            ),
            (
                "Sources/AppReceiptKit/Documentation.docc/ValidatingOnDevice.md",
                ["License", "LicenseInMain", "LicenseInXcode", "SupportText", "EarlyCustomers"]
            ),
            (
                "Sources/AppReceiptKit/Documentation.docc/ValidatingOnAServer.md",
                ["ServerExample", "ServerPurchases"]
            ),
            ("Sources/AppReceiptKit/Documentation.docc/AppReceiptKit.md", ["RunningAppExample"]),
            ("Sources/AppReceiptKit/Documentation.docc/WhatACustomerOwns.md", ["OwnershipExample"]),
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
            // Examples that need the trait have a condition that readers don't need.
            if text.hasPrefix("#if Server\n") { text = String(text.dropFirst(11).dropLast("#endif\n".count)) }
            #expect(text == block, "\(source)")
        }
    }

    @Test("The example for the running app reports that a test process has no receipt")
    func runningAppExample() {
        #expect(throws: ReceiptError.self) { try entitlementsOfRunningApp() }
    }

    @Test("The example for servers rejects a test receipt and returns the reason")
    func serverExampleRejects() throws {
        let sample = try Data(contentsOf: Repository.root.appendingPathComponent("Samples/forged.receipt"))
        let (status, reason) = response(toReceipt: sample.base64EncodedString())
        #expect(status == 422)
        #expect(reason.hasPrefix("root-not-trusted:"))
    }

    @Test("The example for apps rejects receipts under another root and accepts a verified one")
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

    @Test("The license in the article stays locked without a receipt, and advises support if no refresh is available")
    @MainActor
    func license() async {
        #expect(!License.shared.hasPro)
        #expect(License.shared.outcome.nextStep == .refreshReceipt)
        #expect(License.shared.supportText.hasPrefix("container: input-receipt-missing\npayload: not-reached"))
        License.shared.validate()
        #expect(!License.shared.hasPro)
        // On Apple's platforms this would contact the App Store.
        #if os(Linux)
        await License.shared.confirmPurchases()
        #expect(!License.shared.hasPro)
        #expect(License.shared.outcome.nextStep == .contactSupport)
        #endif
    }

    @Test("The other examples of the articles do what they describe")
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
        #expect(originalTransactions(in: verified) == ["7"])
        #expect(!offersTrial(to: verified))
        #expect(try summary(of: bytes) == "com.example.app: com.example.monthly")
        #expect(!isGenuine())
        #if DEBUG
        let certificate = try TestPKI.xcode.der()
        #expect(try AppLaunchValidation.forDebugging(certificate: certificate).validate().verified == nil)
        #endif
    }

    @Test("The example for ownership explains each product")
    func ownershipExample() throws {
        let receipt = TestReceipt(bundleIdentifier: "com.example.garden").with {
            $0.environment = .production
            $0.purchases = [
                TestPurchase("com.example.garden.pro", transaction: "1", at: $0.creationDate),
                TestPurchase("com.example.garden.tools", transaction: "2", at: $0.creationDate)
                    .with { $0.cancellationDate = $0.purchaseDate + 60 },
            ]
        }
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        #expect(
            try explanation(of: try receipt.signed(), verifiedBy: verifier) == [
                "com.example.garden.pro unlocked: Bought on 2024-07-02T15:04:05Z, and as of 2024-07-02T15:04:05Z neither refunded nor revoked. ",
                "com.example.garden.tools locked: Apple refunded the purchase on 2024-07-02T15:05:05Z. Remove access.",
            ])
    }

    @Test("The example for receipts and signed data combines them")
    func ownedExample() throws {
        let transaction = TestTransaction("com.example.pro", transaction: "1").with { $0.environment = .production }
        let verified = try SignedDataVerifier(anchors: try TestPKI.signedData.anchors).verifyTransaction(
            try transaction.signed(),
            expecting: SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp))
        #expect(entitlements(receipts: [], transactions: [verified], renewals: []).isActive("com.example.pro"))
    }

    @Test("The example of VerifyReceipt requires its secret and rejects a test receipt with a status only")
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
        "Every file that the documents link to exists",
        arguments: [
            "README.md", "THREAT_MODEL.md", "CONTRIBUTING.md", "Samples/README.md", "docs/server.md",
            "docs/deployment.md", "docs/scale-out.md",
        ])
    func linksLead(_ path: String) throws {
        let folder = Repository.root.appendingPathComponent(path).deletingLastPathComponent()
        let targets = try Repository.text(path).components(separatedBy: "](").dropFirst()
            .compactMap { $0.components(separatedBy: ")").first }.filter { !$0.hasPrefix("http") }
        for target in targets {
            let path = target.components(separatedBy: "#")[0]
            guard !path.isEmpty else { continue }
            #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path), "\(target)")
        }
        #expect(path != "README.md" || !targets.isEmpty)
    }
}
