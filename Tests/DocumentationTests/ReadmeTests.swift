import AppReceiptKit
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreSignedData
import Crypto
import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    @Test(
        "Every Swift example is the text of a compiled file",
        arguments: [
            ("README.md", ["RunningAppExample"]),
            (
                "Sources/AppReceiptKit/Documentation.docc/Testing.md",
                [
                    "ProInTests", "VersionInTests", "VerifierInTests", "WrongInOneWay", "GraceInTests", "RefundExample",
                    "XcodeExample", "LaunchInTests", "AttacksExample", "SignedDataInTests", "EvidenceInTests",
                ]
            ),
            (
                "Sources/AppReceiptKit/Documentation.docc/ValidatingOnDevice.md",
                [
                    "License", "LicenseInMain", "LicenseInAppDelegate", "OneVersion", "FailureCode", "SupportText",
                    "EarlyCustomers", "VolumeLicense",
                ]
            ),
            (
                "Sources/AppReceiptKit/Documentation.docc/FirstReceipt.md",
                ["LicenseInXcode", "SharedReceipt", "ContainingApp"]
            ),
            ("Sources/AppReceiptKit/Documentation.docc/ProtectingTheCheck.md", ["ExportLimit"]),
            ("Sources/AppReceiptKit/Documentation.docc/ComingFromATutorial.md", []),
            (
                "Sources/AppReceiptKit/Documentation.docc/ValidatingOnAServer.md",
                ["ServerExample", "ServerPurchases", "FailureExample"]
            ),
            ("Sources/AppReceiptKit/Documentation.docc/AppReceiptKit.md", ["RunningAppExample", "AppExample"]),
            (
                "Sources/AppReceiptKit/Documentation.docc/WhatACustomerOwns.md",
                ["OwnershipExample", "SubscriptionBanner", "TrialExample"]
            ),
            (
                "Sources/AppReceiptParsing/Documentation.docc/AppReceiptParsing.md",
                ["InspectExample", "ContainerParts"]
            ),
            ("Sources/AppReceiptValidator/Documentation.docc/AppReceiptValidator.md", ["DropInExample"]),
            ("Sources/AppReceiptValidator/Documentation.docc/Migrating.md", []),
            (
                "Sources/AppStoreSignedData/Documentation.docc/AppStoreSignedData.md",
                ["NotificationExample", "EvidenceOnDevice", "OwnedExample", "EarlyAppTransactions"]
            ),
            ("Sources/VerifyReceipt/Documentation.docc/VerifyReceipt.md", ["VerifyReceiptExample", "HistoryExample"]),
            (
                "Sources/AppStoreServerAPI/Documentation.docc/AppStoreServerAPI.md",
                ["CustomerExample", "HistoryPagesExample"]
            ),
            (
                "Sources/AppStoreServerTesting/Documentation.docc/TestingBackEnds.md",
                ["BackEndInTests", "ClientInTests"]
            ),
            ("docs/server.md", ["EmbeddedServer"]),
            ("Sources/AppReceiptStore/Documentation.docc/AppReceiptStore.md", ["StoreExample"]),
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

    @Test("Every line of code in the README's table of tasks is compiled")
    func tableIsCompiled() throws {
        let file = try Repository.text("Tests/DocumentationTests/Examples/HowDoI.swift")
        let compiled = file.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let text = try Repository.text("README.md")
        let section = try #require(text.components(separatedBy: "## How do I …").dropFirst().first)
        let rows = section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
            .filter { $0.hasPrefix("| ") && $0.contains("`") }
        #expect(rows.count == 10)
        for row in rows {
            let code = try #require(row.components(separatedBy: "`").dropFirst().first)
            #expect(compiled.contains(code), "\(code)")
        }
    }

    @Test("The example for the running app reports that a test process has no receipt")
    func runningAppExample() {
        #expect(throws: ReceiptError.self) { try ownsPro() }
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
            bundleIdentifier: "com.example.app", environments: [.production, .sandbox], location: sample,
            devices: .anyDevice)
        #expect(!hasPro(forged.validate()))
        #expect(!hasPro(launch.validate()))
        #if os(Linux)
        #expect(launch.validate().customerAction?.contains("pass the location of a receipt") == true)
        #endif

        let receipt = TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try receipt.signed()).write(to: file)
        let proven = AppLaunchValidation(
            bundleIdentifier: "com.example.app", environments: [.sandbox],
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), location: ReceiptLocation(file),
            devices: .anyDevice)
        #expect(hasPro(proven.validate()))
    }

    @Test("The license in the article stays locked in a test process, and never advises a refresh there")
    @MainActor
    func license() async {
        #expect(!License.shared.hasPro)
        #if os(Linux)
        #expect(License.shared.outcome.nextStep == .fixConfiguration)
        #expect(License.shared.supportText.hasPrefix("container: input-location-missing\npayload: not-reached"))
        #endif
        License.shared.validate()
        #expect(!License.shared.hasPro)
        // On Apple's platforms this would contact the App Store.
        #if os(Linux)
        await License.shared.confirmPurchases()
        #expect(!License.shared.hasPro)
        #expect(License.shared.outcome.nextStep == .fixConfiguration)
        #expect(License.shared.outcome.refreshError?.code == .unavailable)
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
        let trial = TestReceipt(purchases: [
            TestPurchase(
                subscription: "com.example.plus", transaction: "1", from: receipt.creationDate,
                to: receipt.creationDate + 86_400, isTrial: true)
        ])
        #expect(try !offersTrial(trial.verified().entitlements()))
        #expect(try offersTrial(receipt.verified().entitlements()))
        #expect(try lineForTest().isActive("com.example.pro"))
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
                "com.example.garden.tools locked: Apple refunded or revoked the purchase on 2024-07-02T15:05:05Z. Remove access.",
            ])
    }

    @Test("The example for receipts and signed data combines them")
    func ownedExample() throws {
        let receipt = try TestReceipt(purchases: [TestPurchase("com.example.pro", transaction: "1")])
            .with { $0.environment = .production }.verified()
        #expect(try entitlements(receipt: receipt, tokens: [], renewals: []).isActive("com.example.pro"))
        // The example trusts Apple's roots only.
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let error = #expect(throws: ReceiptError.self) {
            try entitlements(receipt: receipt, tokens: [token], renewals: [])
        }
        #expect(error?.code == .rootNotTrusted)
        let appTransaction = try TestAppTransaction().signed()
        #expect(throws: ReceiptError.self) { try paidBeforeItWasFree(appTransaction: appTransaction) }
    }

    @Test("The example for subscriptions has a sentence for an end, a failed payment and missing evidence")
    func bannerExample() throws {
        let start = TestReceipt().creationDate
        let end = start + 30 * 86_400
        let period = try TestTransaction("com.example.plus", transaction: "1", at: start, until: end).verified()
        func sentence(after days: Double, _ change: (inout TestRenewalInfo) -> Void) throws -> String? {
            let renewal = TestRenewalInfo("com.example.plus", original: "1").with {
                $0.signedDate = start + days * 86_400
                change(&$0)
            }
            return banner(
                for: Entitlements(
                    bundleIdentifier: "com.example.app", environment: .sandbox, transactions: [period],
                    renewals: [try renewal.verified()], at: start + days * 86_400))
        }
        #expect(try sentence(after: 1) { _ in } == nil)
        #expect(try sentence(after: 1) { $0.autoRenewStatus = .off } == "Plus ends on \(end).")
        let grace = try sentence(after: 31) { $0.gracePeriodExpirationDate = end + 16 * 86_400 }
        #expect(grace?.contains("Plus stays active until \(end + 16 * 86_400)") == true)
        #expect(try sentence(after: 31) { $0.isInBillingRetryPeriod = true }?.hasPrefix("Plus is paused") == true)
        #expect(try sentence(after: 31) { _ in }?.hasPrefix("Confirm your purchases") == true)
    }

    @Test("The example for failures decides by the code")
    func failureExample() throws {
        func rejection(_ text: String) -> ReceiptError? {
            verifier.report(
                text, expecting: Expectations(bundleIdentifier: "com.example.app", environments: [.production])
            )
            .failure
        }
        let receipt = try Data(TestReceipt().signed())
        #expect(try afterRejection(#require(rejection(receipt.dropLast().base64EncodedString()))) == .sendAgain)
        #expect(try afterRejection(#require(rejection(receipt.base64EncodedString()))) == .nothing)
    }

    /// Answers as the App Store does for an identifier that it doesn't know.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    private struct UnknownIdentifier: AppStoreServerTransport {
        func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            AppStoreServerHTTPResponse(status: 404, body: Array(#"{"errorCode":4040010,"errorMessage":"-"}"#.utf8))
        }
    }

    @Test("The examples of the App Store Server API create a client, and report an identifier that Apple doesn't know")
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    func serverAPIExamples() async throws {
        let transport = UnknownIdentifier()
        #expect(throws: AppStoreServerError.self) { try makeClient(privateKey: "none", transport: transport) }
        let client = try makeClient(privateKey: P256.Signing.PrivateKey().pemRepresentation, transport: transport)
        #expect(await products(ofCustomer: "1", client: client) == [])
        let error = await #expect(throws: AppStoreServerError.self) {
            try await synchronize(customer: "1", since: nil, client: client) { _ in }
        }
        #expect(error?.code == .transactionIdentifierNotFound)
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
            "README.md", "CONTRIBUTING.md", "SECURITY.md", "THREAT_MODEL.md", "Samples/README.md",
            "Examples/ReceiptViewer/README.md", "docs/app-store.md", "docs/architecture.md", "docs/budgets.md",
            "docs/command-line.md", "docs/deployment.md", "docs/glossary.md", "docs/load.md", "docs/performance.md",
            "docs/releasing.md", "docs/scale-out.md", "docs/server.md", "docs/upgrading.md",
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
