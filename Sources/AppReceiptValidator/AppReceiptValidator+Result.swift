public import Foundation

extension AppReceiptValidator {
    /// What came of a validation.
    public enum Result: Sendable {
        /// The receipt passed every check that was asked for.
        case success(Receipt, receiptData: Data, deviceIdentifier: Data?)
        /// The first failure, with the receipt's bytes and the device identifier if they had been found by then.
        case error(AppReceiptValidator.Error, receiptData: Data?, deviceIdentifier: Data?)

        /// The receipt; nil if the validation failed.
        public var receipt: Receipt? {
            if case .success(let receipt, _, _) = self { receipt } else { nil }
        }

        /// The first failure; nil if there was none.
        public var error: AppReceiptValidator.Error? {
            if case .error(let error, _, _) = self { error } else { nil }
        }

        /// The bytes of the receipt, if there was one.
        public var receiptData: Data? {
            switch self {
            case .success(_, let data, _): data
            case .error(_, let data, _): data
            }
        }

        /// The device identifier that was compared: the one that matched, else the likeliest.
        public var deviceIdentifier: Data? {
            switch self {
            case .success(_, _, let identifier): identifier
            case .error(_, _, let identifier): identifier
            }
        }
    }
}
