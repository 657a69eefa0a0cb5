// Every way in which reading a receipt can fail, in the order of the stages. docs/errors.md lists the same and a test
// holds the two together.

private let passUnchanged =
    "Pass the receipt's bytes as the system or the store gave them, without cutting, re-encoding or editing."
private let notFromTheStore =
    "A genuine receipt never has this form; treat it as forged or damaged and fetch the receipt anew."

extension ReceiptError.Code {
    // MARK: Input

    /// There were no bytes.
    public static let inputEmpty = Self(
        "input-empty", .input,
        cause: "The input is empty.",
        remedy: "Check that the receipt file exists and was read completely; on a device, ask the store to refresh it.")

    /// The input is larger than the limits allow.
    public static let inputTooLarge = Self(
        "input-too-large", .input,
        cause: "The input is larger than the limit.",
        remedy: "Check that this is a receipt; if so large a receipt is expected, raise the limit in ReceiptLimits.")

    /// The bytes are no receipt in any form that is known.
    public static let inputUnrecognized = Self(
        "input-unrecognized", .input,
        cause: "The input is neither a PKCS #7 container nor base64 or PEM of one.",
        remedy: passUnchanged)

    /// Text that should be base64 is not.
    public static let inputBase64Malformed = Self(
        "input-base64-malformed", .input,
        cause: "The input looks like base64 but does not decode.",
        remedy: "Send all of it, as standard base64 with padding; in a form or URL escape it, so that '+' stays '+'.")

    /// The receipt was base64-encoded twice.
    public static let inputBase64Twice = Self(
        "input-base64-twice", .input,
        cause: "The input is base64 of base64: the receipt was encoded twice.",
        remedy: "Decode it once before passing it on, and remove one of the two encodings where it is sent.")

    /// PEM armor that is incomplete, or holds something else than PKCS #7.
    public static let inputPEMMalformed = Self(
        "input-pem-malformed", .input,
        cause: "The input has PEM armor that does not hold one PKCS #7 container.",
        remedy: "Pass one block from '-----BEGIN PKCS7-----' (or CMS) to its END line, with nothing else beside it.")

    /// A property-list transaction receipt from before iOS 7, which is no app receipt.
    public static let inputTransactionReceipt = Self(
        "input-transaction-receipt", .input,
        cause: "The input is a property-list transaction receipt from before iOS 7, not an app receipt.",
        remedy: "Pass the app receipt, the file that Bundle.appStoreReceiptURL names.")

    /// StoreKit 2 signed data (a JWS), which is no app receipt.
    public static let inputSignedData = Self(
        "input-signed-data", .input,
        cause: "The input is StoreKit 2 signed data (a JWS), not an app receipt.",
        remedy: "Pass it to AppStoreSignedData, or to appreceipt signed-data.")

    /// A JSON document, such as a verifyReceipt request.
    public static let inputJSON = Self(
        "input-json", .input,
        cause: "The input is a JSON document, not an app receipt.",
        remedy: "Pass the value of the member that holds the receipt, in verifyReceipt requests 'receipt-data'.")

    /// An app bundle without a receipt in it.
    public static let inputReceiptMissing = Self(
        "input-receipt-missing", .input,
        cause: "There is no receipt.",
        remedy: "Start the app once from the store it was installed from, or ask the store to refresh the receipt.")

    /// The receipt exists but could not be read.
    public static let inputUnreadable = Self(
        "input-unreadable", .input,
        cause: "The receipt could not be read.",
        remedy: "Check that the path is right and that this process may read it.")

    // MARK: Encoding (in the container as well as in the payload)

    /// An element says that it goes on beyond the end of what holds it.
    public static let encodingTruncated = Self(
        "encoding-truncated", .container,
        cause: "An element ends beyond the end of the bytes that hold it.",
        remedy: "The receipt was cut or altered on its way. " + passUnchanged)

    /// A length that no reader can follow.
    public static let encodingLengthMalformed = Self(
        "encoding-length-malformed", .container,
        cause: "An element's length is malformed or impossibly large.",
        remedy: notFromTheStore)

    /// A tag number above 30, which no receipt has, or a tag of zero outside of an end-of-contents mark.
    public static let encodingTagUnsupported = Self(
        "encoding-tag-unsupported", .container,
        cause: "An element has a tag that no receipt uses.",
        remedy: notFromTheStore)

    /// An indefinite length on an element that is not constructed.
    public static let encodingIndefinitePrimitive = Self(
        "encoding-indefinite-primitive", .container,
        cause: "A primitive element has an indefinite length.",
        remedy: notFromTheStore)

    /// An element of indefinite length that never ends.
    public static let encodingEndOfContentsMissing = Self(
        "encoding-end-of-contents-missing", .container,
        cause: "An element of indefinite length lacks its end-of-contents mark.",
        remedy: "The receipt was cut or altered on its way. " + passUnchanged)

    /// Elements nested deeper than the limit.
    public static let encodingTooDeep = Self(
        "encoding-too-deep", .container,
        cause: "Elements are nested deeper than the limit.",
        remedy: notFromTheStore)

    /// More elements than the limit.
    public static let encodingTooManyNodes = Self(
        "encoding-too-many-nodes", .container,
        cause: "There are more elements than the limit.",
        remedy: notFromTheStore)

    /// An element of another type than the structure asks for at this place.
    public static let encodingUnexpectedTag = Self(
        "encoding-unexpected-tag", .container,
        cause: "An element has another type than belongs there.",
        remedy: notFromTheStore)

    /// A structure that ends before a member that it must have.
    public static let encodingElementMissing = Self(
        "encoding-element-missing", .container,
        cause: "A structure ends before a member that it must have.",
        remedy: notFromTheStore)

    /// A structure with more members than it may have.
    public static let encodingLeftover = Self(
        "encoding-leftover", .container,
        cause: "A structure holds more than belongs in it.",
        remedy: notFromTheStore)

    /// An integer that is empty, not in its shortest form, or out of range.
    public static let encodingIntegerMalformed = Self(
        "encoding-integer-malformed", .container,
        cause: "An integer is empty, padded or out of range.",
        remedy: notFromTheStore)

    /// An object identifier that is not well formed.
    public static let encodingObjectIdentifierMalformed = Self(
        "encoding-object-identifier-malformed", .container,
        cause: "An object identifier is malformed.",
        remedy: notFromTheStore)

    // MARK: Container

    /// The outer structure is PKCS #7 of another kind, or something else entirely.
    public static let containerNotSignedData = Self(
        "container-not-signed-data", .container,
        cause: "The container is not PKCS #7 signed data.",
        remedy: passUnchanged)

    /// The container signs something other than plain data.
    public static let containerContentNotData = Self(
        "container-content-not-data", .container,
        cause: "The container's content is not of the type 'data'.",
        remedy: notFromTheStore)

    /// A detached signature: the container has no content.
    public static let containerContentMissing = Self(
        "container-content-missing", .container,
        cause: "The container holds no content (a detached signature).",
        remedy: notFromTheStore)

    /// A version number that neither PKCS #7 nor CMS gives this structure.
    public static let containerVersionUnsupported = Self(
        "container-version-unsupported", .container,
        cause: "The container or its signer has a version that is not known or does not fit the signer's identifier.",
        remedy: notFromTheStore)

    /// Bytes follow the container.
    public static let containerTrailingBytes = Self(
        "container-trailing-bytes", .container,
        cause: "Bytes follow the end of the container.",
        remedy: passUnchanged)

    /// The container carries no certificate.
    public static let containerWithoutCertificates = Self(
        "container-without-certificates", .container,
        cause: "The container carries no certificates.",
        remedy: notFromTheStore)

    /// The container carries more certificates than any receipt.
    public static let containerTooManyCertificates = Self(
        "container-too-many-certificates", .container,
        cause: "The container carries more certificates than the limit.",
        remedy: notFromTheStore)

    /// A certificate larger than any receipt's.
    public static let containerCertificateTooLarge = Self(
        "container-certificate-too-large", .container,
        cause: "The container carries a certificate that is larger than the limit.",
        remedy: notFromTheStore)

    /// Nobody signed the container.
    public static let containerWithoutSigner = Self(
        "container-without-signer", .container,
        cause: "The container has no signer.",
        remedy: notFromTheStore)

    /// More than one signature.
    public static let containerMultipleSigners = Self(
        "container-multiple-signers", .container,
        cause: "The container has more than one signer.",
        remedy: notFromTheStore)

    // MARK: Payload

    /// Bytes follow the payload's set, inside the container's content.
    public static let payloadTrailingBytes = Self(
        "payload-trailing-bytes", .payload,
        cause: "Bytes follow the end of the payload.",
        remedy: notFromTheStore)

    /// More attributes than the limit.
    public static let payloadTooManyAttributes = Self(
        "payload-too-many-attributes", .payload,
        cause: "The receipt has more attributes than the limit.",
        remedy: "If so large a receipt is expected, raise the limit in ReceiptLimits.")

    /// More purchases than the limit.
    public static let payloadTooManyPurchases = Self(
        "payload-too-many-purchases", .payload,
        cause: "The receipt has more purchases than the limit.",
        remedy: "If so large a receipt is expected, raise the limit in ReceiptLimits.")

    /// An attribute that may occur once occurs again.
    public static let attributeDuplicate = Self(
        "attribute-duplicate", .payload,
        cause: "An attribute that may occur once occurs twice.",
        remedy: notFromTheStore)

    /// Bytes follow the value inside of an attribute.
    public static let attributeTrailingBytes = Self(
        "attribute-trailing-bytes", .payload,
        cause: "Bytes follow the value of an attribute.",
        remedy: notFromTheStore)

    /// The creation date (attribute 12) cannot be read.
    public static let creationDateMalformed = Self(
        "creation-date-malformed", .payload,
        cause: "The receipt's creation date (attribute 12) cannot be read.",
        remedy: notFromTheStore)

    /// The bundle identifier (attribute 2) cannot be read.
    public static let bundleIdentifierMalformed = Self(
        "bundle-identifier-malformed", .payload,
        cause: "The receipt's bundle identifier (attribute 2) cannot be read.",
        remedy: notFromTheStore)

    /// The device hash (attribute 5) is not 20 bytes long.
    public static let deviceHashMalformed = Self(
        "device-hash-malformed", .payload,
        cause: "The receipt's device hash (attribute 5) is not 20 bytes long.",
        remedy: notFromTheStore)

    /// The expiration date (attribute 21) cannot be read.
    public static let expirationDateMalformed = Self(
        "expiration-date-malformed", .payload,
        cause: "The receipt's expiration date (attribute 21) cannot be read.",
        remedy: notFromTheStore)

    /// A purchase (attribute 17) is not a set of attributes.
    public static let purchaseMalformed = Self(
        "purchase-malformed", .payload,
        cause: "A purchase (attribute 17) is not a well-formed set of attributes.",
        remedy: notFromTheStore)

    /// An attribute of a purchase that may occur once occurs again.
    public static let purchaseAttributeDuplicate = Self(
        "purchase-attribute-duplicate", .payload,
        cause: "An attribute of a purchase that may occur once occurs twice.",
        remedy: notFromTheStore)

    /// A purchase's expiration date (attribute 1708) cannot be read.
    public static let purchaseExpirationDateMalformed = Self(
        "purchase-expiration-date-malformed", .payload,
        cause: "A purchase's expiration date (attribute 1708) cannot be read.",
        remedy: notFromTheStore)

    /// A purchase's cancellation date (attribute 1712) cannot be read.
    public static let purchaseCancellationDateMalformed = Self(
        "purchase-cancellation-date-malformed", .payload,
        cause: "A purchase's cancellation date (attribute 1712) cannot be read.",
        remedy: notFromTheStore)

    /// Every code that reading a receipt can give, in the order of the stages.
    package static let parsingCodes: [Self] = [
        .inputEmpty, .inputTooLarge, .inputUnrecognized, .inputBase64Malformed, .inputBase64Twice, .inputPEMMalformed,
        .inputTransactionReceipt, .inputSignedData, .inputJSON, .inputReceiptMissing, .inputUnreadable,
        .encodingTruncated, .encodingLengthMalformed, .encodingTagUnsupported, .encodingIndefinitePrimitive,
        .encodingEndOfContentsMissing, .encodingTooDeep, .encodingTooManyNodes, .encodingUnexpectedTag,
        .encodingElementMissing, .encodingLeftover, .encodingIntegerMalformed, .encodingObjectIdentifierMalformed,
        .containerNotSignedData, .containerContentNotData, .containerContentMissing, .containerVersionUnsupported,
        .containerTrailingBytes, .containerWithoutCertificates, .containerTooManyCertificates,
        .containerCertificateTooLarge, .containerWithoutSigner, .containerMultipleSigners,
        .payloadTrailingBytes, .payloadTooManyAttributes, .payloadTooManyPurchases, .attributeDuplicate,
        .attributeTrailingBytes, .creationDateMalformed, .bundleIdentifierMalformed, .deviceHashMalformed,
        .expirationDateMalformed, .purchaseMalformed, .purchaseAttributeDuplicate, .purchaseExpirationDateMalformed,
        .purchaseCancellationDateMalformed,
    ]
}
