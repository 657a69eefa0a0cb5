import AppReceiptSupport

/// Text as a person would read it in a mail program: the MIME parts in base64 are decoded, the tags of HTML are line
/// breaks, and its escapes are characters.
///
/// One level is decoded, and every byte is read a fixed number of times.
package struct MailText {
    /// The text.
    package private(set) var text: ArraySlice<UInt8>
    /// Whether a part was decoded.
    private(set) var hasDecodedParts = false
    /// Whether there are tags.
    private(set) var isHTML = false

    package init(_ text: ArraySlice<UInt8>) {
        self.text = text
        decodeParts()
        removeTags()
        replaceEntities()
    }

    // MARK: Parts

    /// The part of the mail that contains a line.
    private enum Position { case text, header, part }

    private mutating func decodeParts() {
        guard text.contains(UInt8(ascii: ":")) else { return }
        var decoded: [UInt8] = []
        var position = Position.text
        // The lines of a part, and their characters of base64.
        var (part, digits): ([UInt8], [UInt8]) = ([], [])
        func endPart() -> Bool {
            defer { (part, digits) = ([], []) }
            guard let bytes = try? Base64.decode(digits[...]), !bytes.isEmpty, !bytes.contains(where: { $0 < 0x09 })
            else {
                // A receipt that is attached stays in base64.
                decoded += part
                return false
            }
            decoded += bytes + [0x0A]
            return true
        }
        var rest = text
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            let line = rest[..<end]
            rest = rest[end...]
            let content = line.trimmingWhitespace
            if position == .part {
                if content.isEmpty ? digits.isEmpty : content.allSatisfy(Self.isBase64) {
                    part += line
                    digits += content
                    continue
                }
                hasDecodedParts = endPart() || hasDecodedParts
                position = .text
            }
            decoded += line
            if Self.isBase64Header(content) {
                position = .header
            } else if position == .header, content.isEmpty {
                position = .part
            }
        }
        if position == .part { hasDecodedParts = endPart() || hasDecodedParts }
        if hasDecodedParts { text = decoded[...] }
    }

    /// Whether a line is the header of a part in base64.
    private static func isBase64Header(_ line: ArraySlice<UInt8>) -> Bool {
        let header = Array("content-transfer-encoding:".utf8)
        guard line.count <= 64, line.prefix(header.count).lazy.map(\.lowercasedASCII).elementsEqual(header) else {
            return false
        }
        return line.dropFirst(header.count).trimmingWhitespace.map(\.lowercasedASCII) == Array("base64".utf8)
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "+/=".utf8.contains(byte)
    }

    // MARK: Tags

    private mutating func removeTags() {
        guard text.contains(Self.opening) else { return }
        var plain: [UInt8] = []
        var rest = text
        while let start = rest.firstIndex(of: Self.opening) {
            plain += rest[..<start]
            rest = rest[start...]
            guard let tag = Tag(rest) else {
                plain.append(Self.opening)
                rest = rest.dropFirst()
                continue
            }
            isHTML = true
            plain.append(0x0A)
            rest = rest[tag.end...]
            if tag.isLineBreak {
                // The line break in the source isn't another one.
                rest = rest.dropFirst(rest.starts(with: [0x0D, 0x0A]) ? 2 : rest.first == 0x0A ? 1 : 0)
            } else {
                plain.append(0x0A)
            }
        }
        if isHTML { text = (plain + rest)[...] }
    }

    private static let opening = UInt8(ascii: "<")

    // MARK: Entities

    /// The characters that programs escape in HTML, also in the marks of quotations.
    private static let entities = [("&gt;", ">"), ("&lt;", "<"), ("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&")]
        .map { (name: Array($0.0.utf8), character: Array($0.1.utf8)) }

    private mutating func replaceEntities() {
        let ampersand = UInt8(ascii: "&")
        guard text.contains(ampersand) else { return }
        var plain: [UInt8] = []
        var rest = text
        while let start = rest.firstIndex(of: ampersand) {
            plain += rest[..<start]
            rest = rest[start...]
            if let entity = Self.entities.first(where: { rest.starts(with: $0.name) }) {
                plain += entity.character
                rest = rest.dropFirst(entity.name.count)
            } else if let reference = CharacterReference(rest) {
                plain += reference.character
                rest = rest[reference.end...]
            } else {
                plain.append(ampersand)
                rest = rest.dropFirst()
            }
        }
        text = (plain + rest)[...]
    }

    /// A character by its number at the beginning of text, such as "&#62;" or "&#x3E;".
    private struct CharacterReference {
        /// The character in UTF-8.
        let character: [UInt8]
        /// The position after the reference.
        let end: Int

        init?(_ text: ArraySlice<UInt8>) {
            let number = text.dropFirst().prefix(9).prefix { $0 != UInt8(ascii: ";") }
            guard number.first == UInt8(ascii: "#"), number.endIndex < text.endIndex,
                text[number.endIndex] == UInt8(ascii: ";")
            else { return nil }
            let digits = String(decoding: number.dropFirst(), as: UTF8.self)
            let isHexadecimal = digits.first == "x" || digits.first == "X"
            guard let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits),
                let scalar = Unicode.Scalar(value), value >= 0x20 || value == 0x09 || value == 0x0A
            else { return nil }
            // A space that doesn't break is one that people see.
            character = value == 0xA0 ? [0x20] : Array(String(scalar).utf8)
            end = number.endIndex + 1
        }
    }

    /// A tag at the beginning of text.
    private struct Tag {
        /// The position after the tag.
        let end: Int
        /// Whether the text continues on the next line.
        let isLineBreak: Bool

        /// The length of the longest tag. An attribute may be a receipt, so longer ones stay.
        private static let maxCount = 512

        /// The characters after the name of a tag. Outlook's names have a prefix, such as "o:p".
        private static let separators = Array("/!:".utf8)
        /// Addresses in angle brackets aren't tags.
        private static let schemes: Set = ["mailto", "http", "https"]
        /// The tags inside a paragraph.
        private static let lineBreaks: Set = ["br", "wbr", "span", "a", "b", "font", "code", "tt"]

        /// Returns nil if the text doesn't begin with a tag, for example with an address of mail.
        init?(_ text: ArraySlice<UInt8>) {
            let contents = text.dropFirst().prefix(Self.maxCount)
                .prefix { $0 != UInt8(ascii: ">") && $0 != MailText.opening }
            guard contents.endIndex < text.endIndex, text[contents.endIndex] == UInt8(ascii: ">") else { return nil }
            let tag = contents.first == UInt8(ascii: "/") ? contents.dropFirst() : contents
            let bytes = tag.prefix { MailText.isBase64($0) && $0 != UInt8(ascii: "/") }
            let after = tag[bytes.endIndex...].first
            let isEnd = after.map { Base64.isWhitespace($0) || Self.separators.contains($0) } ?? true
            guard bytes.first.map({ $0 >= 0x41 }) ?? (tag.first == UInt8(ascii: "!")), isEnd else { return nil }
            let name = String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
            guard !Self.schemes.contains(name) else { return nil }
            end = contents.endIndex + 1
            isLineBreak = Self.lineBreaks.contains(name)
        }
    }
}
