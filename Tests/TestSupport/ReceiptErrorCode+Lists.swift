package import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import VerifyReceipt

// The codes in each `ReceiptErrorCode+….swift`, in order, because Swift can't list them. ReceiptErrorTests compares them
// with the sources.

extension ReceiptError.Code {
    /// The codes of parsing a receipt, in the order of the checks.
    package static let parsingCodes: [Self] = [
        .inputEmpty, .inputTooLarge, .inputUnrecognized, .inputBase64Malformed, .inputBase64Twice, .inputPEMMalformed,
        .inputTransactionReceipt, .inputSignedData, .inputJSON, .inputReceiptMissing, .inputLocationMissing,
        .inputUnreadable, .encodingTruncated, .encodingLengthMalformed, .encodingTagUnsupported,
        .encodingIndefinitePrimitive, .encodingEndOfContentsMissing, .encodingTooDeep, .encodingTooManyNodes,
        .encodingUnexpectedTag, .encodingElementMissing, .encodingLeftover, .encodingIntegerMalformed,
        .encodingObjectIdentifierMalformed, .containerNotSignedData, .containerContentNotData, .containerContentMissing,
        .containerVersionUnsupported, .containerTrailingBytes, .containerWithoutCertificates,
        .containerTooManyCertificates, .containerCertificateTooLarge, .containerWithoutSigner,
        .containerMultipleSigners, .payloadTrailingBytes, .payloadTooManyAttributes, .payloadTooManyPurchases,
        .attributeDuplicate, .attributeTrailingBytes, .creationDateMalformed, .bundleIdentifierMalformed,
        .deviceHashMalformed, .expirationDateMalformed, .purchaseMalformed, .purchaseAttributeDuplicate,
        .purchaseExpirationDateMalformed, .purchaseCancellationDateMalformed,
    ]

    /// The codes of validating certificates and signatures.
    package static let trustCodes: [Self] = [
        .creationDateMissing, .certificateMalformed, .signerCertificateMissing, .signerCertificateAmbiguous,
        .signerSelfSigned, .intermediateMissing, .chainTooShort, .chainTooLong, .rootNotTrusted, .anchorNotYetValid,
        .anchorExpired, .anchorKeyUnsupported, .anchorKeyTooWeak, .anchorKeyTooLarge, .anchorUnfit, .pathLengthExceeded,
        .intermediateAlgorithmFieldsDisagree, .intermediateAlgorithmUnsupported, .intermediateSignatureInvalid,
        .intermediateNotYetValid, .intermediateExpired, .intermediateCriticalExtension, .intermediateNotAuthority,
        .intermediateKeyUsage, .intermediateMarkerMissing, .intermediateKeyUnsupported, .intermediateKeyTooWeak,
        .intermediateKeyTooLarge, .signerAlgorithmFieldsDisagree, .signerAlgorithmUnsupported, .signerSignatureInvalid,
        .signerNotYetValid, .signerExpired, .signerCriticalExtension, .signerIsAuthority, .signerKeyUsage,
        .signerMarkerMissing, .signerKeyUnsupported, .signerKeyTooWeak, .signerKeyTooLarge, .xcodeNotTrusted,
        .xcodeCertificateMismatch, .xcodeCertificateMisused, .digestAlgorithmUnsupported, .digestAlgorithmsDisagree,
        .signatureAlgorithmUnsupported, .signatureAlgorithmECDSA, .signatureKeyMismatch, .signatureAlgorithmDisagrees,
        .algorithmParametersMalformed, .signedAttributesMalformed, .signedAttributeDuplicate,
        .signedAttributeMultipleValues, .contentTypeAttributeMissing, .contentTypeAttributeWrong,
        .messageDigestAttributeMissing, .messageDigestMismatch, .signatureInvalid, .trustAnchorMalformed,
    ]

    /// The codes of comparing a receipt with expectations.
    package static let checkCodes: [Self] = [
        .bundleIdentifierMissing, .bundleIdentifierMismatch, .environmentMissing, .environmentUnknown,
        .environmentMismatch, .appVersionMissing, .appVersionMismatch, .originalAppVersionMissing,
        .originalAppVersionMismatch, .deviceHashMissing, .deviceHashInputsMissing, .deviceIdentifierMissing,
        .deviceIdentifierUnsupported, .deviceHashMismatch, .receiptExpired, .deviceIdentifierMalformed,
    ]

    /// The codes of parsing a transaction receipt.
    package static let transactionReceiptParsingCodes: [Self] = [
        .transactionReceiptTooLarge, .transactionReceiptMalformed, .transactionReceiptKeyDuplicate,
        .transactionReceiptIncomplete, .transactionReceiptVersionUnsupported, .transactionReceiptSignatureMalformed,
        .transactionReceiptDateMalformed,
    ]

    /// The codes of validating a transaction receipt's chain.
    package static let transactionReceiptChainCodes: [Self] = [
        .transactionReceiptIntermediateMissing, .transactionReceiptMarkerMissing, .transactionReceiptKeyUnfit,
    ]

    /// The codes of signed data.
    package static let signedDataCodes: [Self] = [
        .tokenMalformed, .tokenTruncated, .tokenUnsigned, .notificationVersion1, .responseWithoutReceipt,
        .tokenTooLarge, .tokenBase64Malformed, .tokenHeaderMalformed, .tokenHeaderCritical, .tokenAlgorithmUnsupported,
        .tokenCertificatesMissing, .tokenCertificatesMalformed, .tokenCertificateCount, .tokenSignatureMalformed,
        .tokenPayloadMalformed, .tokenClaimMalformed, .tokenKindMismatch, .tokenKindUnknown, .signedDateMissing,
        .appAppleIdentifierMissing, .appAppleIdentifierUnspecified, .appAppleIdentifierMismatch,
        .deviceVerificationMissing, .deviceVerificationMismatch, .nestedDataMismatch,
    ]

    /// The codes of responding to verifyReceipt requests, in addition to those of reading and verifying receipts.
    package static let verifyReceiptCodes: [Self] = [
        .requestTooLarge, .requestMalformed, .requestMemberDuplicate, .requestMemberMistyped, .receiptDataMissing,
        .receiptDataMistyped, .receiptDataAmbiguous, .signedTransactionsMixed, .signedTransactionMissing,
        .sandboxReceiptInProduction, .productionReceiptInSandbox, .sharedSecretMissing, .sharedSecretMismatch,
        .transactionReceiptSubscriptionExpired,
    ]

    /// The codes that AppReceiptTesting adds.
    package static let testingCodes: [Self] = [.testKeyMalformed, .testChangeFailed]

    /// The codes of receipts and signed data.
    package static let allCodes =
        parsingCodes + trustCodes + checkCodes + transactionReceiptParsingCodes + transactionReceiptChainCodes
        + signedDataCodes + verifyReceiptCodes
}
