import AppReceiptKit
import AppReceiptTesting
import AppReceiptValidator
import Foundation

/// A receipt for a test, and the parameters under which it is valid.
struct ReceiptFixture {
    var pki = TestPKI.standard
    var receipt = TestReceipt()
    var container: (inout TestContainer) throws -> Void = { _ in }
    var bytes: (inout [UInt8]) throws -> Void = { _ in }

    init() { receipt.device = AppReceiptKit.DeviceIdentifier(bytes: Array(Self.device)) }

    static let device = Data([2, 0, 0, 0, 0, 1])

    static func with(_ change: (inout ReceiptFixture) throws -> Void) rethrows -> ReceiptFixture {
        var fixture = ReceiptFixture()
        try change(&fixture)
        return fixture
    }

    func data() throws -> Data {
        var made = try TestContainer(content: receipt.payload, signedBy: pki)
        try container(&made)
        var encoded = try made.encoded()
        try bytes(&encoded)
        return Data(encoded)
    }

    func parameters() throws -> AppReceiptValidator.Parameters {
        let data = try data()
        let root = Data(try TestPKI.standard.root.der())
        return AppReceiptValidator.Parameters.default.with {
            $0.receiptOrigin = .data(data)
            $0.signatureValidation = .shouldValidate(rootCertificateOrigin: .data(root))
            $0.deviceIdentifier = .data(Self.device)
        }
    }

    /// Validates the receipt with parameters that are changed by `change`.
    func result(_ change: (inout AppReceiptValidator.Parameters) -> Void = { _ in }) throws
        -> AppReceiptValidator.Result
    {
        AppReceiptValidator().validateReceipt(parameters: try parameters().with(block: change))
    }
}
