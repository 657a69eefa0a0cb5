import AppReceiptKit
public import Foundation

/// Finds, verifies and parses the receipt of an app. The API is that of the original library of this name.
///
/// ```swift
/// let parameters = AppReceiptValidator.Parameters.default.with {
///     $0.propertyValidations = [.string(\.bundleIdentifier, expected: "com.example.app")]
/// }
/// switch AppReceiptValidator().validateReceipt(parameters: parameters) {
/// case .success(let receipt, _, _): print(receipt.inAppPurchaseReceipts.count, "purchases")
/// case .error(let error, _, _): print("Invalid receipt:", error)
/// }
/// ```
///
/// New code should use AppReceiptKit's `ReceiptVerifier`. It reports every check, represents a verified receipt by a
/// type of its own, and distinguishes sandbox from production receipts.
public struct AppReceiptValidator: Sendable {
    /// Creates a validator.
    public init() {}

    /// Validates a receipt.
    ///
    /// Performs the checks that the parameters request, in this order: signature presence, signature and certificate
    /// chain, payload, properties, device hash.
    ///
    /// - Returns: The receipt or the first failure, with the receipt's bytes and the device identifier.
    public func validateReceipt(parameters: Parameters = .default) -> Result {
        var found = Found(parameters.deviceIdentifier)
        do throws(AppReceiptValidator.Error) {
            return .success(
                try validate(parameters, &found), receiptData: found.receiptData ?? Data(),
                deviceIdentifier: found.deviceIdentifier)
        } catch {
            return .error(error, receiptData: found.receiptData, deviceIdentifier: found.deviceIdentifier)
        }
    }

    /// Validates a receipt. An alias of ``validateReceipt(parameters:)``.
    public func validate(parameters: Parameters = .default) -> Result { validateReceipt(parameters: parameters) }

    /// Compares properties of a receipt.
    ///
    /// - Throws: ``AppReceiptValidator/Error/propertyValueMismatch`` for the first property that differs.
    public func validateProperties(receipt: Receipt, validations: [Parameters.PropertyValidation]) throws {
        for validation in validations { try validation.validateProperty(of: receipt) }
    }

    /// Parses a receipt without verifying it.
    ///
    /// - Throws: An ``AppReceiptValidator/Error``.
    public func parseReceipt(origin: Parameters.ReceiptOrigin) throws -> Receipt {
        Receipt(try OpenedReceipt(origin.existingData()).parsed())
    }

    /// Parses a receipt, including the attributes that Apple doesn't document, without verifying it.
    ///
    /// - Throws: An ``AppReceiptValidator/Error``.
    public func parseUnofficialReceipt(
        origin: Parameters.ReceiptOrigin
    ) throws -> (receipt: Receipt, unofficialReceipt: UnofficialReceipt) {
        let parsed = try OpenedReceipt(origin.existingData()).parsed()
        return (Receipt(parsed), UnofficialReceipt(parsed))
    }
}

extension AppReceiptValidator {
    /// The values that results contain, including results of failed validations.
    private struct Found {
        var receiptData: Data?
        var deviceIdentifier: Data?

        init(_ identifier: Parameters.DeviceIdentifier) {
            // The current device's is looked up for the hash only, because the lookup may wait for the main thread.
            if case .data(let data) = identifier { deviceIdentifier = data }
        }
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
            // No device has an identifier of another length, so no receipt was issued for it.
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

extension AppReceiptValidator {
    /// Converts between dates and their form in receipts.
    public enum ReceiptDateFormatter {
        /// Parses a date with or without milliseconds. Returns nil if the text isn't a date.
        public static func date(from text: String) -> Date? { ReceiptDate.date(from: text) }

        /// Formats a date as `2017-01-01T12:00:00Z`, with milliseconds only if the date has a fraction.
        public static func string(from date: Date) -> String { ReceiptDate.string(from: date) }
    }
}
