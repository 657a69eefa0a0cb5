import AppReceiptKit

extension AppReceiptValidator {
    /// The reason why a receipt was rejected. AppReceiptKit's own errors are more precise.
    public enum Error: Int, Swift.Error {
        /// The receipt wasn't found at its origin.
        case couldNotFindReceipt
        /// The bytes aren't a PKCS #7 container.
        case emptyReceiptContents
        /// The container has no signer.
        case receiptNotSigned
        /// The container lacks a certificate that is needed to validate the signature.
        case receiptMissingCertificates
        /// The certificate chain doesn't end at the trusted root.
        case receiptRootCertificateMismatch
        /// The certificate chain is invalid.
        case certificateChainInvalid
        /// The root certificate wasn't found at its origin. Not thrown: Apple's roots are part of the library.
        case appleRootCertificateNotFound
        /// The signature doesn't match the content.
        case receiptSignatureInvalid
        /// The payload is malformed.
        case malformedReceipt
        /// A purchase in the payload is malformed.
        case malformedInAppPurchaseReceipt
        /// The receipt was issued for another device.
        case incorrectHash
        /// The identifier of the current device isn't available.
        case deviceIdentifierNotDeterminable
        /// The given root certificate isn't a certificate.
        case malformedAppleRootCertificate
        /// The expected value of a property isn't available. Not thrown: a property that is expected to be nil is
        /// compared with nil.
        case couldNotGetExpectedPropertyValue
        /// A property differs from its expected value.
        case propertyValueMismatch
        /// Another error.
        case unknown
    }
}

extension AppReceiptValidator.Error {
    init(_ error: ReceiptError) {
        self = Self.byCode[error.code] ?? Self.byCheck(error.check)
    }

    private static let byCode: [ReceiptError.Code: Self] = [
        .inputReceiptMissing: .couldNotFindReceipt,
        .inputLocationMissing: .couldNotFindReceipt,
        .containerWithoutSigner: .receiptNotSigned,
        .containerMultipleSigners: .receiptSignatureInvalid,
        .containerContentNotData: .malformedReceipt,
        .containerWithoutCertificates: .receiptMissingCertificates,
        .signerCertificateMissing: .receiptMissingCertificates,
        .intermediateMissing: .receiptMissingCertificates,
        .containerTooManyCertificates: .certificateChainInvalid,
        .containerCertificateTooLarge: .certificateChainInvalid,
        .rootNotTrusted: .receiptRootCertificateMismatch,
        .signerSelfSigned: .receiptRootCertificateMismatch,
        .xcodeNotTrusted: .receiptRootCertificateMismatch,
        .xcodeCertificateMismatch: .receiptRootCertificateMismatch,
        .trustAnchorMalformed: .malformedAppleRootCertificate,
        .purchaseMalformed: .malformedInAppPurchaseReceipt,
        .purchaseAttributeDuplicate: .malformedInAppPurchaseReceipt,
        .purchaseExpirationDateMalformed: .malformedInAppPurchaseReceipt,
        .purchaseCancellationDateMalformed: .malformedInAppPurchaseReceipt,
        .deviceIdentifierMissing: .deviceIdentifierNotDeterminable,
        .deviceIdentifierUnsupported: .deviceIdentifierNotDeterminable,
    ]

    private static func byCheck(_ check: ValidationCheck) -> Self {
        switch check {
        case .input, .container: .emptyReceiptContents
        case .payload: .malformedReceipt
        case .certificateChain: .certificateChainInvalid
        case .signature: .receiptSignatureInvalid
        case .deviceHash: .incorrectHash
        default: .unknown
        }
    }
}
