import AppReceiptKit
import Foundation

/// Finds, verifies and parses the receipt of an app, with the API of the package of this name, over AppReceiptKit.
///
/// ```swift
/// let parameters = AppReceiptValidator.Parameters.default.with {
///     $0.propertyValidations = [.string(\.bundleIdentifier, expected: "com.example.app")]
/// }
/// switch AppReceiptValidator().validateReceipt(parameters: parameters) {
/// case .success(let receipt, _, _): print("bought", receipt.inAppPurchaseReceipts.count)
/// case .error(let error, _, _): print("not valid", error)
/// }
/// ```
///
/// New code is better off with `ReceiptVerifier` of AppReceiptKit, which says check by check why a receipt is refused,
/// has a type for what was verified, and tells sandbox receipts from real ones.
public struct AppReceiptValidator: Sendable {
    /// A validator. It holds nothing.
    public init() {}

    /// Finds and checks a receipt: signature presence, signature and chain, payload, properties, device hash, in this
    /// order, as far as the parameters ask for them.
    ///
    /// - Returns: the receipt, or the first failure with what had been found by then.
    public func validateReceipt(parameters: Parameters = .default) -> Result {
        var found = Found()
        do throws(AppReceiptValidator.Error) {
            return .success(
                try validate(parameters, &found), receiptData: found.receiptData ?? Data(),
                deviceIdentifier: found.deviceIdentifier)
        } catch {
            return .error(error, receiptData: found.receiptData, deviceIdentifier: found.deviceIdentifier)
        }
    }

    /// The same as ``validateReceipt(parameters:)``, by its other name.
    public func validate(parameters: Parameters = .default) -> Result { validateReceipt(parameters: parameters) }

    /// Compares properties of a receipt.
    ///
    /// - Throws: ``AppReceiptValidator/Error/propertyValueMismatch`` at the first that differs.
    public func validateProperties(receipt: Receipt, validations: [Parameters.PropertyValidation]) throws {
        for validation in validations { try validation.validateProperty(of: receipt) }
    }

    /// Reads a receipt without verifying anything.
    ///
    /// - Throws: an ``AppReceiptValidator/Error``.
    public func parseReceipt(origin: Parameters.ReceiptOrigin) throws -> Receipt {
        Receipt(try OpenedReceipt(origin.existingData()).parsed())
    }

    /// Reads a receipt, and what in it Apple does not document, without verifying anything.
    ///
    /// - Throws: an ``AppReceiptValidator/Error``.
    public func parseUnofficialReceipt(
        origin: Parameters.ReceiptOrigin
    ) throws -> (receipt: Receipt, unofficialReceipt: UnofficialReceipt) {
        let parsed = try OpenedReceipt(origin.existingData()).parsed()
        return (Receipt(parsed), UnofficialReceipt(parsed))
    }
}

extension AppReceiptValidator {
    /// What has been found on the way, to stand in the result of a failure too.
    private struct Found {
        var receiptData: Data?
        var deviceIdentifier: Data?
    }

    private func validate(
        _ parameters: Parameters, _ found: inout Found
    ) throws(AppReceiptValidator.Error) -> Receipt {
        let data = try parameters.receiptOrigin.existingData()
        found.receiptData = data
        let opened = try OpenedReceipt(data)
        if parameters.shouldValidateSignaturePresence, !opened.isSigned { throw .receiptNotSigned }
        let parsed =
            switch parameters.signatureValidation {
            case .skip: try opened.parsed()
            case .shouldValidate(let root): try opened.verified(under: root)
            }
        let receipt = Receipt(parsed)
        for validation in parameters.propertyValidations { try validation.validate(receipt) }
        if parameters.shouldValidateHash {
            let candidates = try parameters.deviceIdentifier.candidates()
            found.deviceIdentifier = candidates.first.map { Data($0) }
            // An identifier of another length than any device's was no receipt made for.
            let devices = candidates.compactMap { AppReceiptKit.DeviceIdentifier(bytes: $0) }
            guard !devices.isEmpty else { throw .incorrectHash }
            do throws(ReceiptError) {
                found.deviceIdentifier = Data(try parsed.device(among: devices).bytes)
            } catch {
                throw Error(error)
            }
        }
        return receipt
    }
}

extension AppReceiptValidator.Parameters.ReceiptOrigin {
    fileprivate func existingData() throws(AppReceiptValidator.Error) -> Data {
        guard let data = loadData() else { throw .couldNotFindReceipt }
        return data
    }
}
