import AppReceiptTesting
import Foundation
import ReceiptViewerModel
import Testing

@MainActor
@Suite("The receipt viewer")
struct ReceiptViewerTests {
    private let viewer = ReceiptViewer(samples: Repository.samples)

    private func open(_ name: String, in viewer: ReceiptViewer) throws -> Inspection {
        viewer.open(try #require(viewer.samples.first { $0.name == name }))
        return try #require(viewer.inspection)
    }

    @Test("Every sample except the forged one is valid")
    func samples() throws {
        for sample in viewer.samples {
            viewer.open(sample)
            #expect(viewer.inspection?.verdict.isValid == (sample.name != "forged"), "\(sample.name)")
        }
        #expect(viewer.samples.count >= 5)
    }

    @Test("A sample is shown with products, checks, purchases and attributes")
    func contents() throws {
        let inspection = try open("production-subscriptions", in: viewer)
        #expect(viewer.title == "production-subscriptions.receipt")
        #expect(inspection.kind == "Receipt")
        #expect(
            inspection.verdict.summary
                == "For com.example.garden, production. Signed under AppReceiptTesting Root CA.")
        #expect(inspection.products.map(\.productIdentifier).contains("com.example.garden.weather"))
        #expect(inspection.products.allSatisfy { !$0.reason.isEmpty })
        #expect(inspection.checks.map(\.check) == ValidationCheck.receiptChecks)
        let dates = inspection.purchases.compactMap(\.purchaseDate)
        #expect(dates.count > 4)
        #expect(dates == dates.sorted(by: >))
        let bundle = try #require(inspection.attributes.first { $0.type == 2 })
        #expect(bundle.name == "Bundle identifier")
        #expect(bundle.value == "com.example.garden")
    }

    @Test("A sample that is opened as a file is invalid, because only Apple's roots are trusted")
    func sampleAsFile() throws {
        viewer.open(Repository.samples.appendingPathComponent("production-subscriptions.receipt"))
        let inspection = try #require(viewer.inspection)
        #expect(inspection.checks.contains { $0.code == "root-not-trusted" })
        #expect(inspection.products.isEmpty)
        #expect(inspection.verdict.remedy != nil)
        #expect(!inspection.purchases.isEmpty)
    }

    @Test("The receipt in an app is shown")
    func app() throws {
        let app = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).app")
        let folder = app.appendingPathComponent("Contents/_MASReceipt")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: app) }
        try Data(TestReceipt().signed()).write(to: folder.appendingPathComponent("receipt"))
        viewer.open(app)
        #expect(viewer.title == app.lastPathComponent)
        #expect(viewer.inspection?.checks.first?.outcome == .passed)
    }

    @Test("A file that can't be read replaces what was shown")
    func unreadable() throws {
        _ = try open("volume-purchase", in: viewer)
        viewer.open(Repository.samples.appendingPathComponent("absent.receipt"))
        #expect(viewer.inspection == nil)
        #expect(viewer.problem?.isEmpty == false)
        viewer.show("MII")
        #expect(viewer.problem == nil)
        #expect(viewer.inspection?.verdict.isValid == false)
    }

    @Test("Samples that can't be read are a problem that the window shows")
    func withoutSamples() {
        let viewer = ReceiptViewer(samples: Repository.example)
        #expect(viewer.samples.isEmpty)
        #expect(viewer.problem?.isEmpty == false)
    }

    @Test("A receipt is compared with the device in the field")
    func device() throws {
        #expect(try open("mac-device", in: viewer).deviceOutcome == .skipped)
        viewer.device = "02:00:00:00:00:01"
        #expect(viewer.inspection?.deviceOutcome == .passed)
        viewer.device = "02:00:00:00:00:02"
        #expect(viewer.inspection?.deviceOutcome == .failed)
        #expect(viewer.deviceProblem == nil)
        viewer.device = "02:00"
        #expect(viewer.deviceProblem?.isEmpty == false)
        #expect(viewer.inspection?.deviceOutcome == .skipped)
    }

    @Test("A receipt is compared with this device, whose identifier may be missing")
    func thisDevice() throws {
        let address = try DeviceIdentifier(text: "02:00:00:00:00:01")
        let viewer = ReceiptViewer(samples: Repository.samples, currentDevices: { [address] })
        _ = try open("mac-device", in: viewer)
        viewer.requiresThisDevice = true
        #expect(viewer.inspection?.deviceOutcome == .passed)

        let isolated = ReceiptViewer(
            samples: Repository.samples,
            currentDevices: { () throws(ReceiptError) in [try DeviceIdentifier(text: "")] })
        _ = try open("mac-device", in: isolated)
        isolated.requiresThisDevice = true
        #expect(isolated.inspection?.deviceOutcome == .skipped)
        #expect(isolated.deviceProblem?.isEmpty == false)
    }
}

extension Inspection {
    fileprivate var deviceOutcome: CheckResult.Outcome? { checks.first { $0.check == .deviceHash }?.outcome }
}
