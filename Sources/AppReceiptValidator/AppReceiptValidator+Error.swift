import AppReceiptKit

extension AppReceiptValidator {
    /// Why a receipt was refused. AppReceiptKit's own errors say it more precisely.
    public enum Error: Int, Swift.Error {
        /// There is no receipt at its origin.
        case couldNotFindReceipt
        /// The bytes are no PKCS #7 container.
        case emptyReceiptContents
        /// Nobody signed the container.
        case receiptNotSigned
        /// The container lacks the certificates that are needed to judge the signature.
        case receiptMissingCertificates
        /// The chain ends at another root than the trusted one.
        case receiptRootCertificateMismatch
        /// The chain breaks one of its rules.
        case certificateChainInvalid
        /// There is no root certificate at its origin.
        case appleRootCertificateNotFound
        /// The signer did not sign this content.
        case receiptSignatureInvalid
        /// The payload is malformed.
        case malformedReceipt
        /// A purchase in the payload is malformed.
        case malformedInAppPurchaseReceipt
        /// The receipt was made for another device.
        case incorrectHash
        /// This device's identifier could not be had.
        case deviceIdentifierNotDeterminable
        /// The root certificate that was given is no certificate.
        case malformedAppleRootCertificate
        /// What a property was to be compared with could not be had. Not thrown; kept for code that names it.
        case couldNotGetExpectedPropertyValue
        /// A property differs from what was expected.
        case propertyValueMismatch
        /// Something else.
        case unknown
    }
}

extension AppReceiptValidator.Error {
    init(_ error: ReceiptError) {
        self = Self.byCode[error.code] ?? Self.byStage(error.stage)
    }

    private static let byCode: [ReceiptError.Code: Self] = [
        .inputReceiptMissing: .couldNotFindReceipt,
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

    private static func byStage(_ stage: ReceiptError.Stage) -> Self {
        switch stage {
        case .input, .container: .emptyReceiptContents
        case .payload: .malformedReceipt
        case .certificateChain: .certificateChainInvalid
        case .signature: .receiptSignatureInvalid
        case .deviceHash: .incorrectHash
        case .bundleIdentifier, .environment, .appVersion, .originalAppVersion, .expiration: .unknown
        // Of signed data, which this library does not read.
        case .token, .appAppleIdentifier, .deviceVerification, .nestedData: .unknown
        }
    }
}
