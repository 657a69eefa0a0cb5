import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@testable import AppReceiptKit

@Suite("AppLaunchValidation")
struct AppLaunchValidationTests {
    typealias Launch = AppLaunchValidation

    /// An app with its own receipt file and configuration.
    private struct App {
        let file: URL
        var environments: AcceptedValues<AppStoreEnvironment> = [.production, .sandbox]
        var device = DeviceIdentifier(bytes: [2, 0, 0, 0, 0, 1])
        var appVersion = Launch.AppVersion.automatic

        func write(_ receipt: TestReceipt, by pki: TestPKI = .standard) throws {
            try file.write(try receipt.with { $0.device = device }.signed(by: pki))
        }

        /// Validates as on an Apple platform, unless the refresher is the shared one: on Linux that isn't available.
        func launch(refresher: ReceiptRefresher? = nil) throws -> Launch {
            Launch(
                bundleIdentifier: "com.example.app", environments: environments, appVersion: appVersion,
                verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), location: ReceiptLocation(file),
                devices: .only([device].compactMap { $0 }),
                refresher: refresher ?? ReceiptRefresher(request: Store {}))
        }
    }

    private func withApp(_ name: String = "receipt", _ body: (inout App) throws -> Void) throws {
        try TestDirectories.withTemporaryFolder { folder in
            var app = App(file: folder.appendingPathComponent(name))
            try body(&app)
        }
    }

    /// A stand-in for the App Store that writes a receipt or throws.
    private struct Store: ReceiptRefreshing {
        let deliver: @Sendable () async throws -> Void
        func perform() async throws { try await deliver() }
    }

    /// The App Store's answers to successive requests.
    private actor Answers {
        private var answers: [@Sendable () throws -> Void]
        init(_ answers: [@Sendable () throws -> Void]) { self.answers = answers }
        func next() throws { try answers.removeFirst()() }
    }

    @Test("A valid receipt unlocks without a message for the customer")
    func unlocks() throws {
        try withApp { app in
            try app.write(TestReceipt())
            let outcome = try app.launch().validate()
            #expect(outcome.verified?.receipt.bundleIdentifier == "com.example.app")
            #expect(outcome.verified?.device == app.device)
            #expect(outcome.nextStep == .nothing)
            #expect(outcome.error == nil)
            #expect(outcome.customerMessage == nil)
            #expect(outcome.customerAction == nil)
        }
    }

    @Test("A receipt that a refresh can replace stays locked and advises a refresh")
    func refreshes() throws {
        let faults: [(ReceiptError.Code, (App) throws -> Void)] = [
            (.inputReceiptMissing, { _ in }),
            (.inputEmpty, { try $0.file.write([]) }),
            (.inputUnrecognized, { try $0.file.write(Array("<html>".utf8)) }),
            (.encodingTruncated, { try $0.file.write(Array(TestReceipt().signed().dropLast())) }),
            (.intermediateSignatureInvalid, { try $0.write(TestReceipt(), by: .impostor) }),
            (.bundleIdentifierMismatch, { try $0.write(TestReceipt(bundleIdentifier: "com.example.other")) }),
            (.deviceHashMismatch, { try $0.file.write(TestReceipt().signed()) }),
            (
                .receiptExpired,
                { try $0.write(TestReceipt().with { $0.expirationDate = $0.creationDate.addingTimeInterval(1) }) }
            ),
        ]
        for (code, prepare) in faults {
            try withApp { app in
                try prepare(app)
                let outcome = try app.launch().validate()
                #expect(outcome.error?.code == code)
                #expect(outcome.verified == nil)
                #expect(outcome.nextStep == .refreshReceipt, "\(code)")
                #expect(outcome.customerMessage != nil)
                #expect(outcome.customerAction != nil)
            }
        }
    }

    @Test("No refresh is advised for another environment or a device without an identifier")
    func doesNotRefresh() throws {
        try withApp { app in
            try app.write(TestReceipt())
            app.environments = [.production]
            #expect(try app.launch().validate().nextStep == .contactSupport)
            app.environments = [.sandbox]
            app.device = nil
            let outcome = try app.launch().validate()
            #expect(outcome.error?.code == .deviceIdentifierMissing)
            #expect(outcome.nextStep == .tryLater)
            // A forged receipt has precedence, because a refresh fixes it.
            try app.write(TestReceipt(), by: .impostor)
            let forged = try app.launch().validate()
            #expect(forged.error?.code == .intermediateSignatureInvalid)
            #expect(forged.nextStep == .refreshReceipt)
        }
    }

    #if os(Linux)
    @Test("Without a location on Linux, the outcome is for the developer and advises no refresh")
    func outsideApp() async {
        for environments: AcceptedValues<AppStoreEnvironment> in [
            [.production, .sandbox], [.sandbox], .anyEnvironment,
        ] {
            let launch = Launch(bundleIdentifier: "com.example.app", environments: environments)
            for outcome in [launch.validate(), await launch.refresh()] {
                #expect(outcome.access == .locked(launch.validate().error ?? ReceiptError(.inputEmpty)))
                #expect(outcome.error?.code == .inputLocationMissing)
                #expect(outcome.nextStep == .fixConfiguration)
                #expect(outcome.customerMessage == "This process isn't an app, so the system has no receipt for it.")
                #expect(
                    outcome.customerAction
                        == "On Linux, in a command-line tool and in a test, pass the location of a receipt.")
            }
        }
        let refreshed = await Launch(bundleIdentifier: "com.example.app", environments: [.production]).refresh()
        #expect(refreshed.refreshError?.code == .unavailable)
    }

    @Test("With a location on Linux, a receipt that a refresh could replace is a matter for support")
    func noAppStore() throws {
        try withApp { app in
            let launch = try app.launch(refresher: .shared)
            for contents in [nil, [], Array("<html>".utf8), try TestReceipt().signed(by: .impostor)] {
                if let contents { try app.file.write(contents) }
                let outcome = launch.validate()
                #expect(outcome.nextStep == .contactSupport)
                #expect(outcome.customerAction?.contains(outcome.error?.code.rawValue ?? "?") == true)
            }
        }
    }

    @Test("A system without identifiers is reported if the receipt itself is valid")
    func unsupportedDevice() throws {
        try withApp { app in
            try app.write(TestReceipt())
            let launch = Launch(
                bundleIdentifier: "com.example.app", environments: [.sandbox],
                verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), location: ReceiptLocation(app.file))
            let outcome = launch.validate()
            #expect(outcome.error?.code == .deviceIdentifierUnsupported)
            #expect(outcome.nextStep == .fixConfiguration)
            #expect(outcome.customerAction == outcome.error?.remedy)
            try app.write(TestReceipt(bundleIdentifier: "com.example.other"))
            #expect(launch.validate().error?.code == .bundleIdentifierMismatch)
        }
    }
    #endif

    @Test("A missing receipt in the sandbox means a new customer, without a message")
    func newCustomer() throws {
        try withApp("sandboxReceipt") { app in
            let outcome = try app.launch().validate()
            guard case .newCustomer(let error) = outcome.access else {
                Issue.record("\(outcome)")
                return
            }
            #expect(error.code == .inputReceiptMissing)
            #expect(outcome.verified == nil)
            #expect(outcome.nextStep == .nothing)
            #expect(outcome.customerMessage == nil)
            // A damaged receipt isn't a missing one.
            try app.file.write([1])
            #expect(try app.launch().validate().nextStep == .refreshReceipt)
        }
        try withApp { app in
            app.environments = [.sandbox, .xcode]
            let testing = try app.launch()
            #expect(testing.validate().nextStep == .nothing)
            app.environments = .anyEnvironment
            let open = try app.launch()
            #expect(open.validate().nextStep == .refreshReceipt)
        }
    }

    @Test("The device isn't compared if any is accepted, and the version is compared if one is expected")
    func openDevice() throws {
        try withApp { app in
            try app.file.write(TestReceipt().signed())
            // A receipt outside of the running app isn't compared with its version.
            let versions: [(Launch.AppVersion, ReceiptError.Code?)] = [
                ("1", nil), (.exactly("1"), nil), ("2", .appVersionMismatch), (.any, nil), (.automatic, nil),
            ]
            for (version, code) in versions {
                let launch = Launch(
                    bundleIdentifier: "com.example.app", environments: [.sandbox], appVersion: version,
                    verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors),
                    location: ReceiptLocation(app.file), devices: .anyDevice)
                #expect(launch.validate().error?.code == code)
            }
        }
    }

    @Test("By default, the receipt of the running Mac app must be for its version, and other receipts for any")
    func automaticVersion() {
        let automatic = Launch.AppVersion.automatic
        #expect(automatic.expected(at: .mainBundle, running: "3.1") == "3.1")
        #expect(automatic.expected(at: .mainBundle, running: nil) == nil)
        #expect(automatic.expected(at: ReceiptLocation(URL(fileURLWithPath: "/receipt")), running: "3.1") == nil)
        #expect(Launch.AppVersion.any.expected(at: .mainBundle, running: "3.1") == nil)
        #expect(Launch.AppVersion.exactly("2").expected(at: .mainBundle, running: "3.1") == "2")
        #if !canImport(Darwin)
        #expect(Launch.AppVersion.ofRunningMacApp == nil)
        #endif
    }

    @Test("A refresh that delivers a valid receipt unlocks")
    func resolves() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = App(file: folder.appendingPathComponent("receipt"))
        let launch = try app.launch(refresher: ReceiptRefresher(request: Store { try app.write(TestReceipt()) }))
        let outcome = await launch.refresh()
        #expect(outcome.verified != nil)
        #expect(outcome.nextStep == .nothing)
    }

    @Test("No second refresh is advised, whatever the result of the first")
    func noLoop() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = App(file: folder.appendingPathComponent("receipt"))
        let declined = try app.launch(
            refresher: ReceiptRefresher(request: Store { throw NSError(domain: "SKErrorDomain", code: 2) }))
        #expect(declined.validate().nextStep == .refreshReceipt)
        let first = await declined.refresh()
        #expect(first.nextStep == .tryLater)
        #expect(first.refreshError?.appStoreError?.number == 2)
        #expect(first.error?.code == .inputReceiptMissing)
        // The refresher rejects the next attempt, and the customer has to wait.
        let tooSoon = await declined.refresh()
        #expect(tooSoon.refreshError?.code == .tooSoon)
        #expect(tooSoon.customerAction != first.customerAction)

        let none = ReceiptRefresher(request: Store { throw ReceiptRefreshError(.unavailable) })
        let unavailable = await (try app.launch(refresher: none)).refresh()
        #expect(unavailable.nextStep == .contactSupport)
        #expect(unavailable.customerAction?.contains("input-receipt-missing, refresh-unavailable") == true)

        let forging = ReceiptRefresher(request: Store { try app.write(TestReceipt(), by: .impostor) })
        let forged = await (try app.launch(refresher: forging)).refresh()
        #expect(forged.error?.code == .intermediateSignatureInvalid)
        #expect(forged.nextStep == .contactSupport)
        #expect(forged.customerAction?.contains("intermediate-signature-invalid") == true)
    }

    @Test("A customer who declined may try again and is unlocked by a delivered receipt")
    func declinedThenAccepted() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = App(file: folder.appendingPathComponent("receipt"))
        let answers = Answers([{ throw NSError(domain: "SKErrorDomain", code: 2) }, { try app.write(TestReceipt()) }])
        let launch = try app.launch(
            refresher: ReceiptRefresher(request: Store { try await answers.next() }, minimumInterval: 0))
        #expect(await launch.refresh().nextStep == .tryLater)
        #expect(await launch.refresh().verified != nil)
    }

    @Test("A valid receipt stays valid after a failed refresh and is replaced after a successful one")
    func goodStaysGood() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let app = App(file: folder.appendingPathComponent("receipt"))
        try app.write(TestReceipt())
        let failing = ReceiptRefresher(request: Store { throw NSError(domain: "SKErrorDomain", code: 0) })
        let outcome = await (try app.launch(refresher: failing)).refresh()
        #expect(outcome.verified != nil)
        #expect(outcome.nextStep == .nothing)
        #expect(outcome.refreshError?.code == .failed)
        // A renewal that the current receipt doesn't contain.
        let renewed = TestReceipt().with {
            $0.purchases = [
                TestPurchase(
                    subscription: "monthly", transaction: "1", from: $0.creationDate, to: $0.creationDate + 86_400)
            ]
        }
        let delivering = ReceiptRefresher(request: Store { try app.write(renewed) })
        let fresh = await (try app.launch(refresher: delivering)).refresh()
        #expect(fresh.verified?.entitlements(at: renewed.creationDate).isActive("monthly") == true)
    }

    @Test("A report is available without a receipt and without a device")
    func report() throws {
        try withApp { app in
            let none = try app.launch().report()
            #expect(none.failure?.code == .inputReceiptMissing)
            #expect(none.checks.count == ValidationCheck.receiptChecks.count)
            try app.write(TestReceipt())
            let good = try app.launch()
            #expect(good.report().isValid)
            app.device = nil
            let withoutDevice = try app.launch().report()
            #expect(withoutDevice.failure?.code == .deviceIdentifierMissing)
            #expect(withoutDevice.checks.first { $0.check == .signature }?.outcome == .passed)
        }
    }

    @Test("The customer's messages are neutral and contain nothing of the receipt")
    func neutral() throws {
        try withApp { app in
            try app.write(TestReceipt(bundleIdentifier: "com.example.stolen"))
            let outcome = try app.launch().validate()
            let text = "\(outcome.customerMessage ?? "") \(outcome.customerAction ?? "")".lowercased()
            for word in ["stolen", "pirat", "forged", "invalid", "fraud", "illegal", "crack"] {
                #expect(!text.contains(word))
            }
            #expect(!text.isEmpty)
        }
    }
}
