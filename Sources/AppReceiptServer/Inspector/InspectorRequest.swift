#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request of the inspector's page: an input or a sample, and the expectations.
///
/// A JSON object with either `input` (base64) or `sample`. The options have the names of the command line's.
struct InspectorRequest {
    /// The source of the bytes.
    enum Source {
        case bytes([UInt8])
        case sample(InspectorSample)
    }

    static let options: Set = [
        "bundle-id", "environment", "app-version", "original-app-version", "device-id", "complete",
    ]

    let source: Source
    let expectations: Expectations
    /// The accepted environments by name. Empty if the request doesn't specify any.
    let environments: [ReceiptEnvironment.Base]
    /// Whether the document of a large receipt is complete.
    let isComplete: Bool

    /// The expectations for signed data: the same app, environments and device.
    var signedDataExpectations: SignedDataExpectations {
        SignedDataExpectations(expectations, device: device.map { .identifier($0) } ?? .anyDevice)
    }

    /// The options that were sent and that apply to receipts only, for signed data.
    var receiptOptions: [String] {
        var names: [String] = []
        if expectations.appVersion != nil { names.append("app-version") }
        if expectations.originalAppVersion != nil { names.append("original-app-version") }
        if expectations.devices != .anyDevice, device == nil { names.append("device-id") }
        return names
    }

    /// The device, if it is the only one and has a UUID: signed data contains no other identifier.
    private var device: UUID? {
        guard case .oneOf(let devices) = expectations.devices, devices.count == 1 else { return nil }
        return devices.first?.uuid
    }

    /// - Parameter request: A request with `input` or `sample`, and ``options``.
    @available(AppReceiptServer 1.0, *)
    init(_ request: ValidationRequest) throws(APIError) {
        source = try Self.source(request)
        isComplete = try request.flag("complete")
        let accepted = try request.environments()
        environments = (accepted ?? []).sorted { $0.rawValue < $1.rawValue }
        expectations = Expectations(
            bundleIdentifier: try request.text("bundle-id").map { .identifier($0) } ?? .anyBundle,
            environments: accepted.map { .only($0) } ?? .anyEnvironment,
            appVersion: try request.text("app-version"),
            originalAppVersion: try request.text("original-app-version"),
            devices: try request.devices().map { .oneOf($0) } ?? .anyDevice)
    }

    @available(AppReceiptServer 1.0, *)
    private static func source(_ request: ValidationRequest) throws(APIError) -> Source {
        guard request.contentMember == "sample" else {
            guard let bytes = try? Base64.decode(request.content[...]) else {
                throw .badRequest(.contentMalformed, "'input' must be base64.")
            }
            return .bytes(bytes)
        }
        let identifier = String(decoding: request.content, as: UTF8.self)
        guard let sample = InspectorSample.all.first(where: { $0.identifier == identifier }) else {
            throw APIError(
                .notFound, .inspectorSampleUnknown,
                "Unknown sample. Reload the page, because the server may have been updated.")
        }
        return .sample(sample)
    }
}
#endif
