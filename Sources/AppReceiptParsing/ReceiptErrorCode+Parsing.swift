// The codes of parsing a receipt, in the order of the checks. docs/errors.md is generated from them.

private let passUnchanged =
    "Pass the receipt's bytes unchanged: not truncated, re-encoded or edited."
private let forged =
    "Apple never issues receipts in this form. Treat it as forged or damaged, and request a new receipt."

extension ReceiptError.Code {
    // MARK: Input

    /// The input is empty.
    public static let inputEmpty = Self(
        "input-empty", .input,
        cause: "The input is empty.",
        remedy:
            "Check that the receipt file exists and was read completely. On a device, request a new receipt from the App Store."
    )

    /// The input is larger than the limits allow.
    public static let inputTooLarge = Self(
        "input-too-large", .input,
        cause: "The input is larger than the limit.",
        remedy:
            "Check that this is a receipt. If you expect receipts of this size, raise `ReceiptLimits.maxInputBytes`.")

    /// The bytes aren't a receipt in any supported form.
    public static let inputUnrecognized = Self(
        "input-unrecognized", .input,
        cause: "The input is neither a PKCS #7 container nor base64 or PEM of one.",
        remedy: passUnchanged)

    /// The text looks like base64 but isn't.
    public static let inputBase64Malformed = Self(
        "input-base64-malformed", .input,
        cause: "The input looks like base64 but can't be decoded.",
        remedy:
            "Pass the complete base64: it may be cut off, or a space may have replaced '+'. `ReceiptVerifier` requires the standard alphabet with padding."
    )

    /// The receipt was base64-encoded twice.
    public static let inputBase64Twice = Self(
        "input-base64-twice", .input,
        cause: "The input is base64 of base64: the receipt was encoded twice.",
        remedy: "Decode it once before passing it, and remove one of the two encodings at the sender.")

    /// The PEM armor is incomplete, or contains something other than PKCS #7.
    public static let inputPEMMalformed = Self(
        "input-pem-malformed", .input,
        cause: "The input's PEM armor doesn't contain exactly one PKCS #7 container.",
        remedy: "Pass only one block, from '-----BEGIN PKCS7-----' (or CMS) to its END line.")

    /// The input is a transaction receipt (a property list), not an app receipt.
    public static let inputTransactionReceipt = Self(
        "input-transaction-receipt", .input,
        cause: "The input is a property-list transaction receipt from before iOS 7, not an app receipt.",
        remedy: "Pass the app receipt, or verify it with `ReceiptVerifier.verifyTransactionReceipt`.")

    /// The input is StoreKit 2 signed data (a JWS), not an app receipt.
    public static let inputSignedData = Self(
        "input-signed-data", .input,
        cause: "The input is StoreKit 2 signed data (a JWS), not an app receipt.",
        remedy: "Pass it to `SignedDataVerifier` of AppStoreSignedData.")

    /// The input is JSON, such as a verifyReceipt request.
    public static let inputJSON = Self(
        "input-json", .input,
        cause: "The input is JSON, not an app receipt.",
        remedy: "Pass the value of the member that contains the receipt: 'receipt-data' in a verifyReceipt request.")

    /// The app bundle doesn't contain a receipt.
    public static let inputReceiptMissing = Self(
        "input-receipt-missing", .input,
        cause: "There is no receipt.",
        remedy: "Start the app once as installed from the App Store, or request a new receipt from the App Store.")

    /// This process isn't an app, so the system has no receipt for it.
    public static let inputLocationMissing = Self(
        "input-location-missing", .input,
        cause: "This process isn't an app, so the system has no receipt for it.",
        remedy: "On Linux, in a command-line tool and in a test, pass the location of a receipt.")

    /// The receipt exists but can't be read.
    public static let inputUnreadable = Self(
        "input-unreadable", .input,
        cause: "The receipt can't be read.",
        remedy: "Check the path, and that this process has permission to read the file.")

    // MARK: Encoding (in the container as well as in the payload)

    /// The length of an element exceeds the enclosing bytes.
    public static let encodingTruncated = Self(
        "encoding-truncated", .container,
        cause: "The length of an element exceeds the enclosing bytes.",
        remedy: "The receipt was truncated or altered in transit. " + passUnchanged)

    /// An element has a malformed length.
    public static let encodingLengthMalformed = Self(
        "encoding-length-malformed", .container,
        cause: "An element's length is malformed or impossibly large.",
        remedy: forged)

    /// An element has a tag number above 30, which receipts don't use, or a tag of zero that isn't an end-of-contents
    /// mark.
    public static let encodingTagUnsupported = Self(
        "encoding-tag-unsupported", .container,
        cause: "An element has a tag that receipts don't use.",
        remedy: forged)

    /// A primitive element has an indefinite length.
    public static let encodingIndefinitePrimitive = Self(
        "encoding-indefinite-primitive", .container,
        cause: "A primitive element has an indefinite length.",
        remedy: forged)

    /// An element of indefinite length lacks its end-of-contents mark.
    public static let encodingEndOfContentsMissing = Self(
        "encoding-end-of-contents-missing", .container,
        cause: "An element of indefinite length lacks its end-of-contents mark.",
        remedy: "The receipt was truncated or altered in transit. " + passUnchanged)

    /// Elements are nested deeper than the limit.
    public static let encodingTooDeep = Self(
        "encoding-too-deep", .container,
        cause: "Elements are nested deeper than the limit.",
        remedy: forged)

    /// There are more elements than the limit.
    public static let encodingTooManyNodes = Self(
        "encoding-too-many-nodes", .container,
        cause: "There are more elements than the limit.",
        remedy: forged)

    /// An element has a type that the structure doesn't allow there.
    public static let encodingUnexpectedTag = Self(
        "encoding-unexpected-tag", .container,
        cause: "An element has an unexpected type.",
        remedy: forged)

    /// A structure lacks a required member.
    public static let encodingElementMissing = Self(
        "encoding-element-missing", .container,
        cause: "A structure lacks a required member.",
        remedy: forged)

    /// A structure has too many members.
    public static let encodingLeftover = Self(
        "encoding-leftover", .container,
        cause: "A structure has too many members.",
        remedy: forged)

    /// An integer is empty, not in its shortest form, or out of range.
    public static let encodingIntegerMalformed = Self(
        "encoding-integer-malformed", .container,
        cause: "An integer is empty, padded or out of range.",
        remedy: forged)

    /// An object identifier is malformed.
    public static let encodingObjectIdentifierMalformed = Self(
        "encoding-object-identifier-malformed", .container,
        cause: "An object identifier is malformed.",
        remedy: forged)

    // MARK: Container

    /// The outer structure isn't PKCS #7 signed data.
    public static let containerNotSignedData = Self(
        "container-not-signed-data", .container,
        cause: "The container isn't PKCS #7 signed data.",
        remedy: passUnchanged)

    /// The container signs something other than plain data.
    public static let containerContentNotData = Self(
        "container-content-not-data", .container,
        cause: "The container's content isn't of type 'data'.",
        remedy: forged)

    /// A detached signature: the container has no content.
    public static let containerContentMissing = Self(
        "container-content-missing", .container,
        cause: "The container has no content (a detached signature).",
        remedy: forged)

    /// The container or its signer has a version that neither PKCS #7 nor CMS defines for it.
    public static let containerVersionUnsupported = Self(
        "container-version-unsupported", .container,
        cause: "The container or its signer has an unknown version, or one that doesn't match the signer's identifier.",
        remedy: forged)

    /// Bytes follow the container.
    public static let containerTrailingBytes = Self(
        "container-trailing-bytes", .container,
        cause: "Bytes follow the end of the container.",
        remedy: passUnchanged)

    /// The container has no certificates.
    public static let containerWithoutCertificates = Self(
        "container-without-certificates", .container,
        cause: "The container has no certificates.",
        remedy: forged)

    /// The container has more certificates than the limit.
    public static let containerTooManyCertificates = Self(
        "container-too-many-certificates", .container,
        cause: "The container has more certificates than the limit.",
        remedy: forged)

    /// A certificate is larger than the limit.
    public static let containerCertificateTooLarge = Self(
        "container-certificate-too-large", .container,
        cause: "The container has a certificate that is larger than the limit.",
        remedy: forged)

    /// The container has no signer.
    public static let containerWithoutSigner = Self(
        "container-without-signer", .container,
        cause: "The container has no signer.",
        remedy: forged)

    /// The container has more than one signer.
    public static let containerMultipleSigners = Self(
        "container-multiple-signers", .container,
        cause: "The container has more than one signer.",
        remedy: forged)

    // MARK: Payload

    /// Bytes follow the payload's set, inside the container's content.
    public static let payloadTrailingBytes = Self(
        "payload-trailing-bytes", .payload,
        cause: "Bytes follow the end of the payload.",
        remedy: forged)

    /// The receipt has more attributes than the limit.
    public static let payloadTooManyAttributes = Self(
        "payload-too-many-attributes", .payload,
        cause: "The receipt has more attributes than the limit.",
        remedy: "If you expect receipts of this size, raise `ReceiptLimits.maxAttributes`.")

    /// The receipt has more purchases than the limit.
    public static let payloadTooManyPurchases = Self(
        "payload-too-many-purchases", .payload,
        cause: "The receipt has more purchases than the limit.",
        remedy: "If you expect receipts of this size, raise `ReceiptLimits.maxPurchases`.")

    /// An attribute that may occur once occurs twice.
    public static let attributeDuplicate = Self(
        "attribute-duplicate", .payload,
        cause: "An attribute that may occur once occurs twice.",
        remedy: forged)

    /// Bytes follow the value inside of an attribute.
    public static let attributeTrailingBytes = Self(
        "attribute-trailing-bytes", .payload,
        cause: "Bytes follow the value of an attribute.",
        remedy: forged)

    /// The creation date (attribute 12) can't be read.
    public static let creationDateMalformed = Self(
        "creation-date-malformed", .payload,
        cause: "The receipt's creation date (attribute 12) can't be read.",
        remedy: forged)

    /// The bundle identifier (attribute 2) can't be read.
    public static let bundleIdentifierMalformed = Self(
        "bundle-identifier-malformed", .payload,
        cause: "The receipt's bundle identifier (attribute 2) can't be read.",
        remedy: forged)

    /// The device hash (attribute 5) isn't 20 bytes long.
    public static let deviceHashMalformed = Self(
        "device-hash-malformed", .payload,
        cause: "The receipt's device hash (attribute 5) isn't 20 bytes long.",
        remedy: forged)

    /// The expiration date (attribute 21) can't be read.
    public static let expirationDateMalformed = Self(
        "expiration-date-malformed", .payload,
        cause: "The receipt's expiration date (attribute 21) can't be read.",
        remedy: forged)

    /// A purchase (attribute 17) isn't a set of attributes.
    public static let purchaseMalformed = Self(
        "purchase-malformed", .payload,
        cause: "A purchase (attribute 17) isn't a well-formed set of attributes.",
        remedy: forged)

    /// An attribute of a purchase that may occur once occurs twice.
    public static let purchaseAttributeDuplicate = Self(
        "purchase-attribute-duplicate", .payload,
        cause: "An attribute of a purchase that may occur once occurs twice.",
        remedy: forged)

    /// A purchase's expiration date (attribute 1708) can't be read.
    public static let purchaseExpirationDateMalformed = Self(
        "purchase-expiration-date-malformed", .payload,
        cause: "A purchase's expiration date (attribute 1708) can't be read.",
        remedy: forged)

    /// A purchase's cancellation date (attribute 1712) can't be read.
    public static let purchaseCancellationDateMalformed = Self(
        "purchase-cancellation-date-malformed", .payload,
        cause: "A purchase's cancellation date (attribute 1712) can't be read.",
        remedy: forged)
}
