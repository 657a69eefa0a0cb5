import AppReceiptKit
import AppReceiptSupport

/// A receipt in base64, or a token, whose lines are being collected.
struct PartialDocument {
    /// The way to find the end.
    private enum Kind {
        /// A container with a stated length: the number of characters without padding.
        case receipt(count: Int)
        /// A container of indefinite length, or base64 of a property list.
        case open
        case token
    }

    private let kind: Kind
    private var characters: [UInt8]
    /// The length of the last line.
    private var lineCount: Int
    /// The characters of base64 in a receipt. Escapes ("\/") aren't any.
    private var digitCount = 0
    /// The periods of a token, and the characters after the second one.
    private var points = 0
    private var signatureCount = 0
    /// The number of characters before the first line that is shorter than wrapped ones.
    private var shortLineStart: Int?

    /// Returns nil if a word doesn't begin like a receipt or token.
    init?(_ word: ArraySlice<UInt8>) {
        guard let kind = Self.kind(of: word) else { return nil }
        self.kind = kind
        characters = Array(word)
        lineCount = word.count
        count(word)
    }

    /// Whether a word begins a receipt or token.
    static func begins(_ word: ArraySlice<UInt8>) -> Bool { kind(of: word) != nil }

    private static func kind(of word: ArraySlice<UInt8>) -> Kind? {
        guard word.count >= 24 else { return nil }
        switch word.first {
        case UInt8(ascii: "M"): return container(word)
        case UInt8(ascii: "e"):
            let start = decoded(word.prefix { $0 != UInt8(ascii: ".") }, count: 64)
            if ReceiptInput.isTransactionReceipt(start[...]) { return .open }
            // The header of a token is JSON: a name, then a colon.
            let isJSON = zip(start, start.dropFirst()).contains { $0 == UInt8(ascii: "\"") && $1 == UInt8(ascii: ":") }
            let token = withoutFinalPeriods(word)
            return isJSON && (token.isPlausibleJWS || JWS.mistake(inParts: token) != nil) ? .token : nil
        default: return nil
        }
    }

    /// Returns the kind of a PKCS #7 container: a sequence that begins with the object identifier of signed data.
    private static func container(_ word: ArraySlice<UInt8>) -> Kind? {
        let bytes = decoded(word, count: 24)
        guard bytes.count == 18, bytes[0] == BERTag.sequence else { return nil }
        let lengthCount = Int(bytes[1]) - 0x80
        guard (0...4).contains(lengthCount), bytes[(2 + lengthCount)...].starts(with: signedData) else { return nil }
        guard lengthCount > 0 else { return .open }
        let length = bytes[2..<(2 + lengthCount)].reduce(0) { $0 << 8 | Int($1) }
        return .receipt(count: ((2 + lengthCount + length) * 4 + 2) / 3)
    }

    /// The object identifier 1.2.840.113549.1.7.2 in DER.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// Returns the bytes that the first characters encode, in either alphabet; empty if they aren't base64.
    private static func decoded(_ word: ArraySlice<UInt8>, count: Int) -> [UInt8] {
        let digits = word.lazy.filter { $0 != UInt8(ascii: "\\") }.prefix(count).map { byte in
            byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        let text = Array(digits)
        return (try? Base64.decode(text.prefix(text.count / 4 * 4))) ?? []
    }

    private static func withoutFinalPeriods(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var word = word
        while word.last == UInt8(ascii: ".") { word = word.dropLast() }
        return word
    }

    /// The stated length, for a container that has one.
    var count: Int? {
        switch kind {
        case .receipt(let count): count
        case .open, .token: nil
        }
    }

    /// Whether the contents show where the end is.
    var isEndKnown: Bool { if case .open = kind { false } else { true } }

    /// Whether nothing is missing. An indefinite length is never complete.
    var isComplete: Bool {
        switch kind {
        case .receipt(let count): digitCount >= count
        case .token: points >= 2 && signatureCount >= Self.signatureCharacters
        case .open: false
        }
    }

    /// The characters of an ES256 signature: 64 bytes in base64 without padding.
    private static let signatureCharacters = 86

    /// Whether a line without spaces may be the next one, rather than a word after the end.
    ///
    /// Mail programs wrap lines that are already wrapped, so a short line may be anywhere in a document whose end is
    /// known. If the end isn't reached, ``text`` leaves out what follows the first short line.
    func isContinued(by line: ArraySlice<UInt8>) -> Bool {
        guard !isComplete else { return false }
        if isEndKnown { return true }
        // A short line is the last one, if the lines are wrapped.
        return shortLineStart == nil && (!isShort(line) || lineCount <= 100 && line.count % 4 != 1)
    }

    /// Whether nothing is missing after another line.
    func isCompleted(by line: ArraySlice<UInt8>) -> Bool {
        var whole = self
        whole.characters = []
        whole.count(line)
        return whole.isComplete
    }

    private func isShort(_ line: ArraySlice<UInt8>) -> Bool { line.count < min(lineCount, Self.minLineCount) }

    /// Lines are wrapped at 60 characters or more.
    private static let minLineCount = 40

    mutating func append(_ line: ArraySlice<UInt8>) {
        if isShort(line), shortLineStart == nil { shortLineStart = characters.count }
        characters += line
        lineCount = line.count
        count(line)
    }

    private mutating func count(_ line: ArraySlice<UInt8>) {
        for byte in line {
            switch byte {
            case UInt8(ascii: "\\"): break
            case UInt8(ascii: "."):
                // A token has two periods. Another one ends a sentence.
                guard points < 2 else { break }
                points += 1
                signatureCount = 0
            default:
                digitCount += 1
                signatureCount += 1
            }
        }
    }

    /// The characters, with padding where base64 needs it and without a period that ends a sentence.
    var text: ArraySlice<UInt8> {
        let isCutOff = isEndKnown && !isComplete
        let all = characters.prefix(isCutOff ? shortLineStart ?? characters.count : characters.count)
        let text = Self.withoutFinalPeriods(all)
        if case .token = kind { return text }
        let digitCount = text.reduce(0) { $0 + ($1 == UInt8(ascii: "\\") ? 0 : 1) }
        return text + Array(repeating: UInt8(ascii: "="), count: (4 - digitCount % 4) % 4)
    }
}
