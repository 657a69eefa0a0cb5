import AppReceiptKit
import AppReceiptSupport

/// The receipts and tokens in input from a person or program: a file, a request, a response, or copied text.
///
/// Nothing is verified. ``normalizations`` lists what was removed or decoded.
package struct EvidenceInput: Sendable {
    /// The receipts and tokens in the order of the input; at least one.
    package private(set) var items: [Item] = [] {
        didSet {
            if paths.count > items.count { paths.removeSubrange(items.count...) }
            while paths.count < items.count { paths.append(path) }
        }
    }

    /// For each item, the names of the members of JSON around it, outermost first.
    package private(set) var paths: [[String]] = []
    /// The names of the members around what is being read.
    private var path: [String] = []

    /// The removed or decoded wrappers, in the order of the steps: "UTF-16", "quotation marks", "JSON member
    /// 'latest_receipt'".
    package private(set) var normalizations: [String] = []

    /// Whether the input contains more items than ``maxItems``. The others are missing, so nothing may be concluded
    /// from their absence.
    package private(set) var isTruncated = false

    /// The JSON objects around the first item, innermost first. Their other members may be options of a request.
    package private(set) var enclosingObjects: [AppStoreJSON.Object] = []

    /// The text for a reader of tokens: the first item, or the JSON of a version 1 notification, in which only receipts
    /// are.
    package var tokenText: String {
        let notification = enclosingObjects.first { $0.isVersion1Notification }
        return notification.map(Self.text) ?? items.first?.text ?? ""
    }

    /// Whether texts under other names are receipts or tokens if their content is one.
    private var readsEveryMember: Bool
    /// Whether a text under another name wasn't read.
    private var hasOtherTexts = false

    /// Finds the receipts and tokens in bytes.
    ///
    /// - Parameters:
    ///   - bytes: DER, BER, base64 (standard or URL-safe, quoted, escaped or wrapped), PEM, a property list, a JWS, or
    ///     JSON with receipts or tokens in it: the request and response of verifyReceipt, a notification, responses of
    ///     the App Store Server API. Several of these, also in other text, such as a mail with quoted lines. Text in
    ///     UTF-8 or UTF-16.
    ///   - readsEveryMember: Whether members under other names than ``members`` are read if their content is a receipt
    ///     or token. By default, only if members under these names contain none.
    package init(_ bytes: some Collection<UInt8>, readsEveryMember: Bool = false) {
        self.readsEveryMember = readsEveryMember
        let bytes = (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]
        if Self.isBinary(bytes) {
            items = [.receipt(bytes)]
        } else {
            let text = decoded(bytes)
            let steps = normalizations
            read(text, depth: 0)
            if items.count == 1, enclosingObjects.isEmpty { readAmongOtherText(text, after: steps) }
            if hasOtherTexts, !items.contains(where: \.isRecognized) {
                let every = EvidenceInput(bytes, readsEveryMember: true)
                if every.items.contains(where: \.isRecognized) { self = every }
            }
        }
        if items.isEmpty { items = [.receipt(bytes)] }
    }

    /// Replaces what was read as one document if the text contains several, or other words.
    private mutating func readAmongOtherText(_ text: ArraySlice<UInt8>, after steps: [String]) {
        if let several = EvidenceText(text, otherThan: items[0], maxCount: Self.maxItems) {
            (items, normalizations) = ([], steps)
            add(several)
        } else if case .receipt = items[0] {
            let objects = EvidenceText.unsignedObjects(in: text)
            guard !objects.isEmpty else { return }
            isTruncated = objects.count > Self.maxItems
            items = objects.prefix(Self.maxItems).map { .token(Self.text($0)) }
            note("other text around JSON")
        }
    }

    private mutating func add(_ text: EvidenceText) {
        if text.hasDecodedParts { note("MIME parts in base64") }
        if text.isHTML { note("HTML") }
        if text.isQuoted { note("quoted lines") }
        if text.isQuotedPrintable { note("quoted-printable") }
        if text.otherLines > 0 { note("\(text.otherLines) \(text.otherLines == 1 ? "line" : "lines") of other text") }
        for document in text.documents { add(document, isToken: false) }
        isTruncated = text.isTruncated
    }

    /// Whether the bytes begin like a DER or BER sequence and aren't text.
    private static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first == BERTag.sequence && bytes.prefix(4).contains { $0 > 0x7E || $0 < 0x09 }
    }

    /// Returns the text in UTF-8, without a byte order mark and surrounding whitespace.
    private mutating func decoded(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = bytes
        if let isBigEndian = Self.utf16Order(bytes) {
            note("UTF-16")
            let encoded = Array(bytes)
            let (high, low) = isBigEndian ? (0, 1) : (1, 0)
            var units: [UInt16] = []
            for index in stride(from: 0, to: encoded.count - 1, by: 2) {
                units.append(UInt16(encoded[index + high]) << 8 | UInt16(encoded[index + low]))
            }
            if units.first == 0xFEFF { units.removeFirst() }
            text = Array(String(decoding: units, as: UTF16.self).utf8)[...]
        }
        let unmarked = text.withoutByteOrderMark
        if unmarked.count != text.count { note("byte order mark") }
        return unmarked.trimmingWhitespace
    }

    /// Whether the bytes are big-endian UTF-16; nil if they aren't UTF-16.
    private static func utf16Order(_ bytes: ArraySlice<UInt8>) -> Bool? {
        let start = Array(bytes.prefix(4))
        guard start.count == 4 else { return nil }
        if start.starts(with: [0xFE, 0xFF]) { return true }
        if start.starts(with: [0xFF, 0xFE]) { return false }
        // Without a byte order mark, every other byte of ASCII text is zero.
        if start[0] == 0, start[2] == 0, start[1] != 0, start[3] != 0 { return true }
        if start[1] == 0, start[3] == 0, start[0] != 0, start[2] != 0 { return false }
        return nil
    }

    /// The largest number of wrappers around a receipt, such as JSON in a quoted text.
    private static let maxDepth = 4

    /// - Parameter isToken: Whether the text is a token even if it is malformed.
    private mutating func read(_ text: ArraySlice<UInt8>, depth: Int, isToken: Bool = false) {
        guard depth < Self.maxDepth, let first = text.first else { return add(text, isToken: isToken) }
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            guard text.count > 1, text.last == first else { return add(text, isToken: isToken) }
            note("quotation marks")
            let content =
                (try? AppStoreJSON(parsing: text).string).map { Array($0.utf8)[...] } ?? text.dropFirst().dropLast()
            read(content.trimmingWhitespace, depth: depth + 1, isToken: isToken)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard let value = try? AppStoreJSON(parsing: text, depth: 16) else {
                // A part of a line of a log may be JSON without the quotation marks around it.
                let plain = unescaped(text)
                return plain.count == text.count
                    ? add(text, isToken: isToken) : read(plain, depth: depth + 1, isToken: isToken)
            }
            let before = items.count
            search(value, depth: depth + 1, readsText: true)
            if items[before...].allSatisfy(\.isEmpty), let object = value.object, object.isResponseWithoutReceipt {
                items.removeSubrange(before...)
                enclosingObjects = before == 0 ? [] : enclosingObjects
                items.append(.token(Self.text(object)))
            }
            if items.count == before { add(text, isToken: isToken) }
        default:
            if let value = Self.json(inBase64: text), search(inBase64: value, depth: depth + 1) { return }
            if let token = Self.token(inBase64: text) {
                note("base64")
                return add(token, isToken: true)
            }
            let bearer = Array("Bearer ".utf8)
            guard text.starts(with: bearer) else { return add(text, isToken: isToken) }
            note("\"Bearer\"")
            read(text.dropFirst(bearer.count).trimmingWhitespace, depth: depth + 1, isToken: isToken)
        }
    }

    /// Adds what JSON in base64 contains, and returns whether that is anything that may be signed.
    private mutating func search(inBase64 value: AppStoreJSON, depth: Int) -> Bool {
        let (count, steps, objects, wasTruncated) = (items.count, normalizations.count, enclosingObjects, isTruncated)
        note("JSON in base64")
        search(value, depth: depth, readsText: true)
        if items[count...].contains(where: { (try? $0.receipt.get())?.isEmpty == false }) { return true }
        items.removeSubrange(count...)
        normalizations.removeSubrange(steps...)
        (enclosingObjects, isTruncated) = (objects, wasTruncated)
        return false
    }

    /// The members whose string is a receipt, or a token in place of one, in the requests and responses of Apple and of
    /// this package.
    private static let receiptMembers = ["receipt-data", "latest_receipt", "receipt", "transactionReceipt"]

    /// The members whose string is a token, even if it is malformed.
    private static let tokenMembers = [
        "token", "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo",
        "jwsRepresentation",
    ]

    /// The members whose arrays of strings are tokens.
    private static let lists = ["signedTransactions", "signedRenewals"]

    /// The members whose string is a receipt or token.
    package static let members = receiptMembers + tokenMembers

    private static let canonicalReceiptMembers = Set(receiptMembers.map(canonicalName))
    private static let canonicalTokenMembers = Set(tokenMembers.map(canonicalName))
    private static let canonicalLists = Set(lists.map(canonicalName))

    /// Returns the form in which names of members and columns are compared: without surrounding whitespace, in
    /// lowercase, and with hyphens.
    ///
    /// Columns of databases rarely have a hyphen, and an option that is misread because of its spelling would silently
    /// disable a check.
    package static func canonicalName(_ name: String) -> String {
        let bytes = Array(name.utf8)[...].trimmingWhitespace.map { byte in
            switch byte {
            case UInt8(ascii: "_"): UInt8(ascii: "-")
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a member or column with this name contains a receipt or token.
    ///
    /// - Parameter name: The canonical name.
    package static func isMember(canonical name: String) -> Bool {
        canonicalReceiptMembers.contains(name) || canonicalTokenMembers.contains(name)
    }

    /// The maximum number of receipts and tokens in one input. Each is verified.
    package static let maxItems = 10_000

    /// - Parameters:
    ///   - readsText: Whether the strings of an array are receipts or tokens.
    ///   - isToken: Whether they are tokens even if they are malformed.
    private mutating func search(_ value: AppStoreJSON, depth: Int, readsText: Bool = false, isToken: Bool = false) {
        guard items.count < Self.maxItems else {
            isTruncated = true
            return
        }
        switch value {
        case .object(let object):
            let (wasEmpty, count) = (items.isEmpty, items.count)
            let isAnyNonEmpty = object.members.contains {
                $0.value.string?.isEmpty == false && Self.isMember(canonical: Self.canonicalName($0.name))
            }
            for member in object.members {
                let name = Self.canonicalName(member.name)
                let isToken = Self.canonicalTokenMembers.contains(name)
                path.append(member.name)
                defer { path.removeLast() }
                switch member.value {
                // Clients write an empty string for what they don't have.
                case .string("") where isAnyNonEmpty: break
                case .string(let text) where isToken || Self.canonicalReceiptMembers.contains(name):
                    if !text.isEmpty { note("JSON member '\(member.name)'") }
                    let bytes = Array(text.utf8)[...].trimmingWhitespace
                    let isReceipt = bytes.first == UInt8(ascii: "M") && PartialDocument.begins(bytes)
                    read(bytes, depth: depth, isToken: isToken && !isReceipt)
                case .array where Self.canonicalLists.contains(name):
                    note("JSON member '\(member.name)'")
                    search(member.value, depth: depth, readsText: true, isToken: true)
                default:
                    searchOther(member.value, name: member.name, depth: depth)
                }
            }
            if items[count...].allSatisfy(\.isEmpty), object.tokenMistake != nil {
                items.removeSubrange(count...)
                if wasEmpty { enclosingObjects = [] }
                return items.append(.token(Self.text(object)))
            }
            // Version 1 notifications contain their receipt twice.
            if object.isVersion1Notification, Set(items[count...]).count == 1 { items.removeSubrange((count + 1)...) }
            if wasEmpty, !items.isEmpty { enclosingObjects.append(object) }
        case .array(let elements):
            for element in elements {
                if readsText, case .string(let text) = element {
                    read(Array(text.utf8)[...].trimmingWhitespace, depth: depth, isToken: isToken)
                } else {
                    search(element, depth: depth)
                }
            }
        case .string(let text):
            if readsEveryMember { searchText(text, depth: depth) } else { hasOtherTexts = true }
        default: break
        }
    }

    /// Searches a member that has no known name, and reports its name if it is a text, or a list of texts, with
    /// receipts or tokens.
    private mutating func searchOther(_ value: AppStoreJSON, name: String, depth: Int) {
        let (count, steps) = (items.count, normalizations.count)
        search(value, depth: depth)
        guard items.count > count, (value.array?.first ?? value).string != nil else { return }
        let step = "JSON member '\(name)'"
        guard normalizations.count < Self.maxNormalizations, !normalizations.contains(step) else { return }
        normalizations.insert(step, at: steps)
    }

    /// Reads a text that has no known name, if its content is a receipt or token, or JSON with some: it proves itself
    /// under any name.
    private mutating func searchText(_ text: String, depth: Int) {
        guard depth < Self.maxDepth, text.utf8.count >= 24, let first = text.utf8.first else { return }
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard let value = try? AppStoreJSON(parsing: Array(text.utf8)[...], depth: 16) else { return }
            search(value, depth: depth + 1)
        case UInt8(ascii: "\""):
            guard let inner = try? AppStoreJSON(parsing: Array(text.utf8)[...]).string else { return }
            searchText(inner, depth: depth + 1)
        case UInt8(ascii: "M"), UInt8(ascii: "e"), UInt8(ascii: "W"), UInt8(ascii: "Z"):
            let bytes = Array(text.utf8)[...].trimmingWhitespace
            // Apps have tokens of others than Apple, which contain no certificates.
            let isEvidence = PartialDocument.begins(bytes) && (!bytes.isPlausibleJWS || JWS.hasCertificates(bytes))
            guard isEvidence || Self.json(inBase64: bytes) != nil || Self.token(inBase64: bytes) != nil else { return }
            read(bytes, depth: depth)
        default: break
        }
    }

    private static func text(_ object: AppStoreJSON.Object) -> String {
        String(decoding: AppStoreJSON.object(object).text(), as: UTF8.self)
    }

    /// The maximum number of reported steps: names of members are the input's.
    private static let maxNormalizations = 32

    /// Reports a step once.
    private mutating func note(_ normalization: String) {
        guard normalizations.count < Self.maxNormalizations, !normalizations.contains(normalization) else { return }
        normalizations.append(normalization)
    }

    /// Adds text without wrappers.
    private mutating func add(_ text: ArraySlice<UInt8>, isToken: Bool) {
        guard items.count < Self.maxItems else {
            isTruncated = true
            return
        }
        // The usual form of a receipt needs no other step.
        if !isToken, Self.isStandardBase64(text) { return items.append(.receipt(text)) }
        let text = unescaped(text)
        if text.first == UInt8(ascii: "e") {
            let token = text.filter { !Base64.isWhitespace($0) }[...]
            if token.isPlausibleJWS || JWS.mistake(inParts: token) != nil {
                if token.count != text.count { note("line breaks") }
                return items.append(.token(String(decoding: token, as: UTF8.self)))
            }
        }
        guard !isToken else { return items.append(.token(String(decoding: text, as: UTF8.self))) }
        let receipt = standardBase64(text)
        items.append(Self.transactionReceipt(in: receipt).map { .transactionReceipt($0) } ?? .receipt(receipt))
    }

    /// Whether the text begins like base64 of a receipt, has complete groups, and has no character of escapes or of
    /// URL-safe base64.
    private static func isStandardBase64(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "M") else { return false }
        let span = text.span
        for character in [UInt8(ascii: "\\"), UInt8(ascii: "-"), UInt8(ascii: "_")] {
            guard span.firstIndex(of: character, in: 0..<span.count) == nil else { return false }
        }
        // Most text is on one line.
        let digits =
            span.contains(below: 0x21)
            ? text.reduce(0) { $0 + (Base64.isWhitespace($1) ? 0 : 1) } : span.count
        return digits % 4 == 0
    }

    /// Returns the text without the escapes of a JSON string that was copied without its quotation marks.
    private mutating func unescaped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let backslash = UInt8(ascii: "\\")
        guard text.contains(backslash),
            let value = try? AppStoreJSON(parsing: ([0x22] + text + [0x22])[...]).string
        else { return text }
        note("escapes")
        return Array(value.utf8)[...]
    }

    /// Returns standard base64 with padding if the text is URL-safe base64.
    private mutating func standardBase64(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let (minus, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        guard text.contains(where: { $0 == minus || $0 == underscore }) || text.count % 4 != 0,
            text.first == UInt8(ascii: "M") || text.first == UInt8(ascii: "e")
        else { return text }
        var standard = text.filter { !Base64.isWhitespace($0) }.map { byte in
            byte == minus ? UInt8(ascii: "+") : byte == underscore ? UInt8(ascii: "/") : byte
        }
        while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
        guard (try? Base64.decode(standard[...])) != nil, (try? Base64.decode(text)) == nil else { return text }
        note("URL-safe base64")
        return standard[...]
    }
}
