import AppReceiptKit
package import AppReceiptSupport

// Common mistakes, which explain why text isn't a token.

extension JWS {
    /// Returns the mistake that the beginning or the end of the text reveals; nil if none is recognized.
    static func mistake(_ text: ArraySlice<UInt8>) -> ReceiptError? {
        func malformed(_ message: String) -> ReceiptError { ReceiptError(.tokenMalformed, message) }
        guard let first = text.first, let last = text.last else { return malformed("The text is empty.") }
        if Base64.isWhitespace(first) || Base64.isWhitespace(last) {
            return malformed("There is a space or line break before or after the token.")
        }
        if first == UInt8(ascii: "\"") || last == UInt8(ascii: "\"") {
            return malformed("There are quotation marks around the token.")
        }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            if ReceiptInput.isTransactionReceipt(text) {
                return malformed("The text is a property list like a transaction receipt, not a token.")
            }
            guard let json = try? AppStoreJSON(parsing: text) else {
                return malformed("The text begins like JSON but can't be read as JSON, and isn't a token.")
            }
            if let code = json.object?.tokenMistake { return ReceiptError(code) }
            if json.object?.isResponseWithoutReceipt == true { return ReceiptError(.responseWithoutReceipt) }
            return malformed("The text is JSON, not a token. Pass the member that contains the token.")
        }
        if text.withoutByteOrderMark.count != text.count {
            return malformed("There is a byte order mark before the token.")
        }
        if text.starts(with: Array("Bearer ".utf8)) { return malformed("The word 'Bearer' precedes the token.") }
        let isBase64OfContainer = first == UInt8(ascii: "M") && !text.contains(point)
        if first == 0x30 || isBase64OfContainer { return malformed("This looks like an app receipt, not a token.") }
        return nil
    }

    /// Returns the mistake in text that doesn't have three parts: a token that is cut off, or base64 of unsigned JSON;
    /// nil for other text.
    static func mistake(inParts text: ArraySlice<UInt8>) -> ReceiptError? {
        // The first character encodes `{`.
        guard text.first == UInt8(ascii: "e") else { return nil }
        let parts = text.split(separator: point, omittingEmptySubsequences: false)
        guard parts.count < 3, let first = parts.first else { return nil }
        if parts.count == 1 {
            if let json = (try? Base64URL.decode(first)) ?? (try? Base64.decode(first)),
                let code = (try? AppStoreJSON(parsing: json[...]))?.object?.tokenMistake
            {
                return ReceiptError(code)
            }
            guard names("alg", inHeader: first) || names("x5c", inHeader: first) else { return nil }
            return ReceiptError(.tokenTruncated, "The token is cut off: only the first of three parts is there.")
        }
        guard isES256(header: first) else { return nil }
        return ReceiptError(.tokenTruncated, "The token is cut off: the signature, its third part, is missing.")
    }

    /// Returns whether the header of a token names certificates, as every token of the App Store does.
    static func hasCertificates(_ token: ArraySlice<UInt8>) -> Bool {
        names("x5c", inHeader: token.prefix { $0 != point })
    }

    /// Most of a header is its certificates, so only the beginning is decoded.
    private static func names(_ name: String, inHeader header: ArraySlice<UInt8>) -> Bool {
        let start = (try? Base64URL.decode(header.prefix(min(header.count, 1024) / 4 * 4))) ?? []
        let member = Array("\"\(name)\"".utf8)
        return start.indices.contains { start[$0...].starts(with: member) }
    }

    /// Returns the error for a signature that isn't 64 bytes of base64: the token is cut off, or the signature is
    /// malformed.
    ///
    /// - Parameters:
    ///   - signature: The third part, encoded.
    ///   - header: The first part, encoded. Other algorithms have shorter signatures.
    static func truncation(of signature: ArraySlice<UInt8>, header: ArraySlice<UInt8>) -> ReceiptError? {
        guard signature.count < signatureLength, Base64URL.isValid(signature), isES256(header: header) else {
            return nil
        }
        return ReceiptError(
            .tokenTruncated,
            "The token is cut off: its signature has \(signature.count) of \(signatureLength) characters.")
    }

    /// The characters of a signature: 64 bytes in base64 without padding.
    private static let signatureLength = 86
    private static let point = UInt8(ascii: ".")

    private static func isES256(header: ArraySlice<UInt8>) -> Bool {
        guard let json = try? Base64URL.decode(header) else { return false }
        return (try? AppStoreJSON(parsing: json[...]))?.object?["alg"] == .string("ES256")
    }
}

extension AppStoreJSON.Object {
    /// The error for JSON that is sent instead of a token: `token-unsigned` or `notification-version-1`; nil for other
    /// JSON.
    package var tokenMistake: ReceiptError.Code? {
        if isVersion1Notification { return .notificationVersion1 }
        return isUnsignedData ? .tokenUnsigned : nil
    }

    /// Whether this is a server notification of version 1, which contains a receipt and isn't signed.
    package var isVersion1Notification: Bool {
        self["notification_type"]?.string != nil && self["signedPayload"] == nil
    }

    /// Whether the members are those of a token's payload, as in `jsonRepresentation` of StoreKit 2.
    private var isUnsignedData: Bool {
        self["signedPayload"] == nil && !SignedDataKind.kinds(matching: self).isEmpty
            && Self.payloadMembers.filter { self[$0] != nil }.count >= 2
    }

    /// Members that most payloads have. A single one may also be in JSON of an app or a server.
    private static let payloadMembers = [
        "transactionId", "originalTransactionId", "bundleId", "productId", "purchaseDate", "environment", "signedDate",
        "autoRenewProductId", "autoRenewStatus", "receiptType", "receiptCreationDate", "notificationType",
        "notificationUUID",
    ]
}

extension AppStoreJSON.Fault {
    /// The fault as a predicate, for example `not a JSON object (at byte 7)`.
    package var predicate: String {
        switch self {
        case .malformed(let position): "not a JSON object (at byte \(position))"
        case .duplicateMember(let position): "JSON with a duplicate member (at byte \(position))"
        case .tooDeep(let position): "nested too deeply (at byte \(position))"
        }
    }
}
