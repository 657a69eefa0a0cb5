#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport
import HTTPTypes

/// A request of the inspector's page: an input, a sample or a search, and the expectations.
///
/// A JSON object with `input` (base64), `sample` or `search`. The options have the names of the command line's.
struct InspectorRequest {
    /// The source of the bytes.
    enum Source {
        case bytes([UInt8])
        case sample(InspectorSample)
        /// An account, a transaction or an order, whose name or number this is.
        case search(String)
    }

    /// The members that a request has one of.
    static let contents = ["input", "sample", "search"]

    static let options = Set(ExpectationOption.all.map(\.name) + ["complete"])

    let source: Source
    var expectations: Expectations
    /// The App Store identifiers of which signed data must have one.
    var appAppleIdentifiers: AcceptedValues<UInt64> = .anyApp
    /// Whether the document of a large receipt is complete.
    let isComplete: Bool

    /// The accepted environments by name. Empty if the request doesn't specify any.
    var environments: [AppStoreEnvironment] {
        Set(expectations.environments.values ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    /// The expectations for signed data: the same app, environments and device.
    var signedDataExpectations: SignedDataExpectations {
        var expected = SignedDataExpectations(expectations, device: device.map { [$0] } ?? .anyDevice)
        expected.appAppleIdentifier = appAppleIdentifiers
        return expected
    }

    /// The options that were sent and that apply to receipts only, for signed data.
    var receiptOptions: [String] {
        ExpectationOption.ofReceiptsOnly(in: expectations).map(\.name)
            .filter { $0 != ExpectationOption.devices.name || device == nil }
    }

    /// The device, if it is the only one and has a UUID: signed data contains no other identifier.
    private var device: UUID? {
        expectations.devices.single?.uuid
    }

    /// - Parameter request: A request with one of ``contents``, and ``options``.
    @available(AppReceiptServer 1.0, *)
    init(_ request: ValidationRequest) throws(APIError) {
        source = try Self.source(request)
        isComplete = try request.options.flag("complete")
        expectations = try request.options.expectations()
    }

    @available(AppReceiptServer 1.0, *)
    private static func source(_ request: ValidationRequest) throws(APIError) -> Source {
        let text = String(decoding: request.content, as: UTF8.self)
        if request.contentMember == "search" {
            return .search(String(decoding: request.content[...].trimmingWhitespace, as: UTF8.self))
        }
        guard request.contentMember == "sample" else {
            guard let bytes = try? Base64.decode(request.content[...]) else {
                throw .badRequest(.contentMalformed, "'input' must be base64.")
            }
            return .bytes(bytes)
        }
        guard let sample = InspectorSample.all.first(where: { $0.identifier == text }) else {
            throw APIError(
                .notFound, .inspectorSampleUnknown,
                "Unknown sample. Reload the page, because the server may have been updated.")
        }
        return .sample(sample)
    }
}
#endif
