public import Foundation
public import Observation

/// The contents of a window that shows a receipt or token.
@MainActor
@Observable
public final class ReceiptViewer {
    /// The samples; empty if they can't be read.
    public var samples: [SampleFolder.Sample] { sampleFolder?.samples ?? [] }

    /// The name of what is shown.
    public private(set) var title = "Receipt Viewer"

    /// What is known about the receipt or token; nil before one was opened and if it can't be read.
    public private(set) var inspection: Inspection?

    /// Why a file or the samples can't be read.
    public private(set) var problem: String?

    /// A MAC address or UUID that the receipt must be for; empty to accept any device.
    public var device = "" {
        didSet { inspect() }
    }

    /// Whether the receipt must be for this computer, regardless of ``device``.
    public var requiresThisDevice = false {
        didSet { inspect() }
    }

    /// Why the receipt isn't compared with a device although one is required.
    public private(set) var deviceProblem: String?

    private let apple = Inspector()
    private let sampleFolder: SampleFolder?
    private let currentDevices: () throws(ReceiptError) -> [DeviceIdentifier]
    private var input: (bytes: [UInt8], inspector: Inspector)?

    /// Creates a viewer without a receipt.
    ///
    /// - Parameters:
    ///   - url: The folder of the samples.
    ///   - currentDevices: Returns the identifiers of this device. A test passes its own.
    public init(
        samples url: URL,
        currentDevices: @escaping () throws(ReceiptError) -> [DeviceIdentifier] = DeviceIdentifier.current
    ) {
        self.currentDevices = currentDevices
        do {
            sampleFolder = try SampleFolder(url)
        } catch {
            sampleFolder = nil
            problem = "The samples can't be read: \(error)"
        }
    }

    /// Shows a receipt or token in a file, or the receipt in an app.
    ///
    /// - Parameter url: The file, or an `.app` bundle.
    public func open(_ url: URL) { open(url, with: apple) }

    /// Shows a sample, which only its own root makes valid.
    ///
    /// - Parameter sample: The sample.
    public func open(_ sample: SampleFolder.Sample) { open(sample.url, with: sampleFolder?.inspector ?? apple) }

    /// Shows a receipt or token that is text.
    ///
    /// - Parameter text: Base64, PEM, a token, or the body of a notification.
    public func show(_ text: String) { show(Array(text.utf8), title: "Text", with: apple) }

    private func open(_ url: URL, with inspector: Inspector) {
        do throws(ReceiptError) {
            show(try ReceiptFile.contents(of: url), title: url.lastPathComponent, with: inspector)
        } catch {
            title = url.lastPathComponent
            input = nil
            inspection = nil
            problem = "\(error.message) \(error.remedy)"
        }
    }

    private func show(_ bytes: [UInt8], title: String, with inspector: Inspector) {
        self.title = title
        problem = nil
        input = (bytes, inspector)
        inspect()
    }

    private func inspect() {
        let devices = expectedDevices()
        guard let input else { return }
        inspection = input.inspector.inspect(input.bytes, devices: devices)
    }

    /// Parses the field for the device. A device that isn't known is a problem of the field, not of the receipt.
    private func expectedDevices() -> AcceptedValues<DeviceIdentifier> {
        deviceProblem = nil
        do throws(ReceiptError) {
            if requiresThisDevice { return .only(try currentDevices()) }
            return device.isEmpty ? .anyDevice : [try DeviceIdentifier(text: device)]
        } catch {
            deviceProblem = error.message
            return .anyDevice
        }
    }
}
