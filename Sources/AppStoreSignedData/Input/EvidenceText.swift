import AppReceiptKit
import AppReceiptSupport

/// The receipts and tokens in text that also contains other words: a mail with quoted lines, or one receipt a line.
///
/// A word is evidence only if it begins like a PKCS #7 container, a token or a transaction receipt, so long words of
/// prose never are. Every byte is read a fixed number of times.
struct EvidenceText {
    /// The receipts and tokens in order, each once: a reply repeats what it answers.
    private(set) var documents: [ArraySlice<UInt8>] = []
    /// The lines with other words.
    private(set) var otherLines = 0
    /// Whether a line begins with a quotation mark of mail.
    private(set) var isQuoted = false
    /// Whether the tags of HTML were removed.
    private(set) var isHTML = false
    /// Whether MIME parts in base64 were decoded.
    private(set) var hasDecodedParts = false
    /// Whether a line break of quoted-printable was removed.
    private(set) var isQuotedPrintable = false
    /// Whether a document was cut off.
    private(set) var isAnyIncomplete = false
    /// Whether there are more than the maximum number of documents.
    private(set) var isTruncated = false

    /// The marks at the beginnings of the lines that a reply repeats.
    private static let quotationMarks = [UInt8(ascii: ">"), UInt8(ascii: "|"), UInt8(ascii: ":")]

    /// The number of initials that some programs write before ">", as in "AW> ".
    private static let maxInitials = 3

    private let maxCount: Int
    private var known: Set<ArraySlice<UInt8>> = []
    /// The document that the next line may continue.
    private var open: PartialDocument?
    /// Whether its last line ends with "=", which is padding or a line break of quoted-printable.
    private var isBroken = false
    /// The position of the next closing brace, or the end of the text.
    private var brace = -1

    private init(_ mail: MailText, maxCount: Int) {
        self.maxCount = maxCount
        (isHTML, hasDecodedParts) = (mail.isHTML, mail.hasDecodedParts)
        var rest = mail.text
        while !rest.isEmpty, !isTruncated {
            if let end = endOfTransactionReceipt(in: rest) {
                close()
                add(rest[..<end])
                rest = rest[end...]
                continue
            }
            let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
            read(line: rest[..<end])
            rest = rest[end...].dropFirst(rest[end...].starts(with: [0x0D, 0x0A]) ? 2 : 1)
        }
        close()
    }

    // MARK: Lines

    private mutating func read(line: ArraySlice<UInt8>) {
        let line = unquoted(line)
        guard !line.isEmpty else {
            // Only a line without a gap continues a document whose end isn't known.
            if open?.isEndKnown == false { close() }
            return
        }
        if let word = Word(line), word.text.startIndex == line.startIndex, continues(with: word, of: line) {
            open?.append(word.text)
            if isBroken { isQuotedPrintable = true }
            isBroken = word.isBroken
            return
        }
        close()
        // The boundaries of PEM aren't words.
        if line.starts(with: "-----".utf8) { return }
        var rest = line
        var hasOtherWords = false
        while let word = Word(rest) {
            // Text before or after it on its line, such as "Receipt: MII…".
            close()
            open = PartialDocument(word.text)
            isBroken = word.isBroken
            if open == nil { hasOtherWords = true }
            rest = rest[word.end...]
        }
        if hasOtherWords { otherLines += 1 }
    }

    /// Whether the open document continues with a word that begins a line.
    private func continues(with word: Word, of line: ArraySlice<UInt8>) -> Bool {
        guard let open, open.isContinued(by: word.text), !PartialDocument.begins(word.text) else { return false }
        let rest = line[word.end...]
        // Its last line may end a sentence or a quotation.
        return rest.isEmpty || rest.count <= 3 && open.isCompleted(by: word.text)
    }

    /// Returns a line without quotation marks of mail and without whitespace at its ends.
    private mutating func unquoted(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let rest = Self.withoutQuotationMarks(line: line)
        if line[..<rest.startIndex].contains(where: Self.quotationMarks.contains) { isQuoted = true }
        return rest.trimmingWhitespace
    }

    private static func withoutQuotationMarks(line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = line
        while true {
            let content = rest.drop { Base64.isWhitespace($0) || quotationMarks.contains($0) }
            let initials = content.prefix(maxInitials).prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
            guard !initials.isEmpty, content[initials.endIndex...].first == UInt8(ascii: ">") else { return content }
            rest = content[initials.endIndex...]
        }
    }

    // MARK: Documents

    private mutating func close() {
        guard let document = open else { return }
        open = nil
        if !document.isComplete { isAnyIncomplete = true }
        add(document.text)
    }

    private mutating func add(_ document: ArraySlice<UInt8>) {
        guard !known.contains(document) else { return }
        guard documents.count < maxCount else {
            isTruncated = true
            return
        }
        known.insert(document)
        documents.append(document)
    }

    /// Returns the end of the property list of a transaction receipt at the beginning of text; nil for other text.
    private mutating func endOfTransactionReceipt(in text: ArraySlice<UInt8>) -> Int? {
        guard text.first == UInt8(ascii: "{"), ReceiptInput.isTransactionReceipt(text.prefix(Self.maxKeyLength)) else {
            return nil
        }
        // The values are base64 or short text, without braces.
        if brace < text.startIndex { brace = text.firstIndex(of: UInt8(ascii: "}")) ?? text.endIndex }
        return brace < text.endIndex ? brace + 1 : nil
    }

    /// The bound of what is searched for the first key of a property list, so that the work stays linear.
    private static let maxKeyLength = 64
}

extension EvidenceText {
    /// Finds the documents in text that contains several, or other words.
    ///
    /// - Parameters:
    ///   - text: The text, without whitespace at its ends.
    ///   - item: The text read as one document.
    ///   - maxCount: The maximum number of documents.
    /// - Returns: `nil` if the text is one document.
    init?(_ text: ArraySlice<UInt8>, otherThan item: EvidenceInput.Item, maxCount: Int) {
        let span = text.span
        // Quotation marks are around documents in JSON that can't be parsed, and in what debuggers print.
        guard let first = text.first,
            span.contains(below: 0x21)
                || "<\"".utf8.contains(where: { span.firstIndex(of: $0, in: 0..<span.count) != nil })
        else { return nil }
        let isJSON = [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first)
        if isJSON, (try? AppStoreJSON(parsing: text, depth: 16)) != nil { return nil }
        // A wrapped receipt needs no search.
        if let count = PartialDocument(text.prefix { !Base64.isWhitespace($0) })?.count,
            text.reduce(0, { $0 + (Base64.isWhitespace($1) || $1 == UInt8(ascii: "=") ? 0 : 1) }) == count
        {
            return nil
        }
        self.init(MailText(text), maxCount: maxCount)
        guard documents.count < 2 else { return }
        guard let document = documents.first, !item.bytes.elementsEqual(document) else { return nil }
        let isAll = otherLines == 0 && !isQuoted && !isQuotedPrintable && !isHTML && !hasDecodedParts
        // What is cut off, or has bytes after its end, is reported as it is.
        let isFirst = text.starts(with: document.prefix(24))
        let isDamaged = isAnyIncomplete && (isJSON || isFirst)
        let isBase64 = isFirst && Base64.isPlausible(text) && !text.contains(UInt8(ascii: " "))
        if isAll || isDamaged || isBase64 { return nil }
    }

    /// Returns the JSON in text with other words that people send instead of a receipt or tokens, also in quoted lines:
    /// an object or the objects of an array; empty without any.
    static func unsignedObjects(in text: ArraySlice<UInt8>) -> [AppStoreJSON.Object] {
        let objects = plainObjects(in: text)
        guard objects.isEmpty, text.contains(where: quotationMarks.contains) else { return objects }
        return plainObjects(in: withoutQuotationMarks(text))
    }

    /// Returns the text without the quotation marks of mail at the beginnings of its lines.
    private static func withoutQuotationMarks(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        return Array(lines.map { withoutQuotationMarks(line: $0) }.joined(separator: [0x0A]))[...]
    }

    private static func plainObjects(in text: ArraySlice<UInt8>) -> [AppStoreJSON.Object] {
        let object = value(in: text, from: UInt8(ascii: "{"), to: UInt8(ascii: "}"))?.object
        if let object, object.tokenMistake != nil || object.isResponseWithoutReceipt { return [object] }
        let elements = value(in: text, from: UInt8(ascii: "["), to: UInt8(ascii: "]"))?.array ?? []
        let objects = elements.compactMap(\.object).filter { $0.tokenMistake != nil }
        return objects.count == elements.count ? objects : []
    }

    /// Returns the JSON between the first and the last of two characters, with other text around it.
    private static func value(
        in text: ArraySlice<UInt8>, from first: UInt8, to last: UInt8
    ) -> AppStoreJSON? {
        let span = text.span
        guard let offset = span.firstIndex(of: first, in: 0..<span.count),
            let end = text.lastIndex(of: last), case let start = text.startIndex + offset, start < end,
            text.count > end - start + 1
        else { return nil }
        return try? AppStoreJSON(parsing: text[start...end], depth: 16)
    }

    /// The first word of a line: characters of base64 or of a token, and the padding after them.
    fileprivate struct Word {
        /// The characters without padding, and without the periods at the end of a sentence.
        let text: ArraySlice<UInt8>
        /// The position after the word and its padding.
        let end: Int
        /// Whether a single "=" follows, which quoted-printable writes before a line break.
        let isBroken: Bool

        init?(_ line: ArraySlice<UInt8>) {
            guard let start = line.firstIndex(where: Self.isCharacter) else { return nil }
            let rest = line[start...]
            let end = rest.firstIndex { !Self.isCharacter($0) } ?? rest.endIndex
            text = rest[..<end]
            // Quoted-printable writes "=" as "=3D".
            let encoded = Array("3D".utf8)
            var after = rest[end...]
            var count = 0
            while after.first == UInt8(ascii: "=") {
                count += 1
                after = after.dropFirst()
                if after.starts(with: encoded) { after = after.dropFirst(2) }
            }
            self.end = after.startIndex
            isBroken = count == 1 && after.isEmpty
        }

        private static func isCharacter(_ byte: UInt8) -> Bool {
            byte.isASCIILetter || byte.isASCIIDigit || "+/-_.\\".utf8.contains(byte)
        }
    }
}
