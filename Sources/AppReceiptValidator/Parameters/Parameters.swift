extension AppReceiptValidator {
    /// The checks of a validation and the values they need.
    public struct Parameters {
        /// The origin of the receipt.
        public var receiptOrigin: ReceiptOrigin
        /// Whether an unsigned container is rejected, even if the signature isn't validated.
        public var shouldValidateSignaturePresence: Bool
        /// Whether the signature and the certificate chain are validated, and the trusted root certificate.
        public var signatureValidation: SignatureValidation
        /// Whether the receipt must have been issued for the device.
        public var shouldValidateHash: Bool
        /// The device.
        public var deviceIdentifier: DeviceIdentifier
        /// The properties of the receipt to compare.
        public var propertyValidations: [PropertyValidation]

        /// Creates parameters. An argument that is omitted has the value that `default` has.
        ///
        /// - Parameters:
        ///   - receiptOrigin: The origin of the receipt.
        ///   - shouldValidateSignaturePresence: Whether an unsigned container is rejected.
        ///   - signatureValidation: Whether the signature and the certificate chain are validated.
        ///   - shouldValidateHash: Whether the receipt must have been issued for the device.
        ///   - deviceIdentifier: The device.
        ///   - propertyValidations: The properties of the receipt to compare.
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

        /// Parameters that validate the installed receipt for this device under Apple's roots, and compare no
        /// properties.
        public static var `default`: Parameters { Parameters() }

        /// Returns a copy that is changed by `block`.
        public func with(block: (inout Parameters) -> Void) -> Parameters {
            var changed = self
            block(&changed)
            return changed
        }
    }
}

extension AppReceiptValidator.Parameters {
    /// Whether the signature and the certificate chain are validated.
    public enum SignatureValidation {
        /// Skips the validation. Anyone can create a receipt that passes.
        case skip
        /// Validates the signature and the certificate chain under this root certificate.
        case shouldValidate(rootCertificateOrigin: RootCertificateOrigin)

        /// Returns `shouldValidate(rootCertificateOrigin:)`. The label can be omitted.
        public static func shouldValidate(_ rootCertificateOrigin: RootCertificateOrigin) -> SignatureValidation {
            .shouldValidate(rootCertificateOrigin: rootCertificateOrigin)
        }
    }
}
