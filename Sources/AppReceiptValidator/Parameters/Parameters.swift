extension AppReceiptValidator {
    /// What to validate, and with what.
    public struct Parameters {
        /// Where the receipt comes from.
        public var receiptOrigin: ReceiptOrigin
        /// Whether an unsigned container is refused, even if no signature is validated.
        public var shouldValidateSignaturePresence: Bool
        /// Whether signature and chain are validated, and under which root.
        public var signatureValidation: SignatureValidation
        /// Whether the receipt must have been made for the device.
        public var shouldValidateHash: Bool
        /// The device.
        public var deviceIdentifier: DeviceIdentifier
        /// Properties of the receipt to compare.
        public var propertyValidations: [PropertyValidation]

        /// - Parameters:
        ///   - receiptOrigin: where the receipt comes from.
        ///   - shouldValidateSignaturePresence: whether an unsigned container is refused.
        ///   - signatureValidation: whether signature and chain are validated, and under which root.
        ///   - shouldValidateHash: whether the receipt must have been made for the device.
        ///   - deviceIdentifier: the device.
        ///   - propertyValidations: properties of the receipt to compare.
        public init(
            receiptOrigin: ReceiptOrigin = .installedInMainBundle, shouldValidateSignaturePresence: Bool = true,
            signatureValidation: SignatureValidation = .shouldValidate(
                rootCertificateOrigin: .cerFileBundledWithAppReceiptValidator),
            shouldValidateHash: Bool = true, deviceIdentifier: DeviceIdentifier = .currentDevice,
            propertyValidations: [PropertyValidation] = []
        ) {
            self.receiptOrigin = receiptOrigin
            self.shouldValidateSignaturePresence = shouldValidateSignaturePresence
            self.signatureValidation = signatureValidation
            self.shouldValidateHash = shouldValidateHash
            self.deviceIdentifier = deviceIdentifier
            self.propertyValidations = propertyValidations
        }

        /// The installed receipt, fully validated for this device under Apple's roots; no properties compared.
        public static var `default`: Parameters { Parameters() }

        /// The same with something changed.
        public func with(block: (inout Parameters) -> Void) -> Parameters {
            var changed = self
            block(&changed)
            return changed
        }
    }
}

extension AppReceiptValidator.Parameters {
    /// Whether signature and chain are validated.
    public enum SignatureValidation {
        /// They are not: anybody can have made the receipt.
        case skip
        /// They are, under this root.
        case shouldValidate(rootCertificateOrigin: RootCertificateOrigin)

        /// They are, under this root.
        public static func shouldValidate(_ rootCertificateOrigin: RootCertificateOrigin) -> SignatureValidation {
            .shouldValidate(rootCertificateOrigin: rootCertificateOrigin)
        }
    }
}
