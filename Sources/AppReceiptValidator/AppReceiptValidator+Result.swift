public import Foundation

extension AppReceiptValidator {
    /// The result of a validation.
    public enum Result: Sendable {
        /// The receipt passed every requested check.
        case success(Receipt, receiptData: Data, deviceIdentifier: Data?)
        /// The first failure, with the receipt's bytes and the device identifier if they were found before it.
        case error(AppReceiptValidator.Error, receiptData: Data?, deviceIdentifier: Data?)

        /// The receipt, nil if the validation failed.
        public var receipt: Receipt? {
            if case .success(let receipt, _, _) = self { receipt } else { nil }
        }

        /// The first failure, nil if there was none.
        public var error: AppReceiptValidator.Error? {
            if case .error(let error, _, _) = self { error } else { nil }
        }

        /// The bytes of the receipt, nil if none was found.
        public var receiptData: Data? {
            switch self {
            case .success(_, let data, _): data
            case .error(_, let data, _): data
            }
        }

        /// The device identifier.
        ///
        /// If the parameters contain an identifier (`.data`), every result contains it too. With `.currentDevice` it is
        /// the identifier that matched or, if none did, the most likely one. It is nil if the validation skipped the
        /// hash or failed before it.
        public var deviceIdentifier: Data? {
            switch self {
            case .success(_, _, let identifier): identifier
            case .error(_, _, let identifier): identifier
            }
        }
    }
}
