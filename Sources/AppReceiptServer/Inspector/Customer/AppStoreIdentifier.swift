#if Server
/// A text that may be an identifier at the App Store: of a transaction, or of the order in a mail from Apple.
enum AppStoreIdentifier: Hashable, Sendable {
    case transaction(String)
    /// The number is in uppercase.
    case order(String)

    /// Returns nil if the text looks like neither.
    ///
    /// Apple documents no form of order numbers. Those in its mails are "M", then uppercase letters and digits, such as
    /// "MK4TTTVWJH".
    init?(_ text: String) {
        let bytes = text.utf8
        let isNumber = bytes.allSatisfy(Self.isDigit)
        if isNumber, (1...20).contains(bytes.count) {
            self = .transaction(text)
            return
        }
        guard (7...16).contains(bytes.count), !isNumber, bytes.allSatisfy({ Self.isDigit($0) || Self.isLetter($0) }),
            bytes.first.map(Self.isLetter) == true
        else { return nil }
        let (upper, lower) = (text.uppercased(), text.lowercased())
        // Keyboards begin a word with a capital letter, but only base64 mixes the cases.
        guard text == upper || text.dropFirst() == lower.dropFirst() else { return nil }
        let beginsLikeApples = upper.utf8.first == UInt8(ascii: "M") && bytes.count >= 9
        let hasDigit = bytes.contains(where: Self.isDigit)
        // A word in lowercase without a digit isn't an order, nor is a name such as "user123".
        guard text == upper ? hasDigit || beginsLikeApples : hasDigit && beginsLikeApples else { return nil }
        self = .order(upper)
    }

    /// The identifier.
    var text: String {
        switch self {
        case .transaction(let text), .order(let text): text
        }
    }

    /// Whether nothing else in prose looks like it: no year, amount, telephone number or name of a device.
    var isUnmistakable: Bool {
        switch self {
        case .transaction(let text):
            text.utf8.count >= 13 && text.utf8.first != UInt8(ascii: "0") && !Self.isTime(text)
        case .order(let text):
            text.utf8.first == UInt8(ascii: "M") && text.utf8.count >= 9 && text.utf8.contains(where: Self.isDigit)
        }
    }

    /// Returns whether a number is a date and time in 14 digits, such as 20261128091244.
    private static func isTime(_ text: String) -> Bool {
        let digits = text.utf8.map { Int($0) - 0x30 }
        guard digits.count == 14, digits[0] == 2, digits[1] == 0 else { return false }
        let pairs = stride(from: 4, to: 14, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
        return (1...12).contains(pairs[0]) && (1...31).contains(pairs[1]) && pairs[2] < 24 && pairs[3] < 60
            && pairs[4] < 61
    }

    /// Returns the identifiers in a text with other words, each once, in order. Receipts and tokens in it aren't
    /// searched, and what is labeled as something else isn't one, such as a ticket's number.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - maxCount: The maximum number of identifiers.
    static func all(in text: [UInt8], maxCount: Int) -> [AppStoreIdentifier] {
        var found: [AppStoreIdentifier] = []
        var (label, isNumbered) = ("", false)
        let prose = text.split { !isOfDocument($0) && $0 < 0x80 }.filter { $0.count < minLineCount }
        // Bytes of other scripts are letters, so that a word isn't split.
        for word in prose.lazy.flatMap({ $0.split { !isDigit($0) && !isLetter($0) && $0 < 0x80 } }) {
            let text = String(decoding: word, as: UTF8.self)
            guard (minCount...20).contains(word.count), let identifier = AppStoreIdentifier(text) else {
                let word = text.lowercased()
                if numberWords.contains(word) {
                    isNumbered = true
                } else if !fillers.contains(word) {
                    (label, isNumbered) = (word, false)
                }
                continue
            }
            defer { (label, isNumbered) = ("", false) }
            if case .transaction = identifier, isOtherLabel(label, isNumbered: isNumbered) { continue }
            guard !found.contains(identifier) else { continue }
            found.append(identifier)
            if found.count == maxCount { break }
        }
        return found
    }

    /// Returns whether a word precedes a number that isn't a transaction, such as "ticket", or any before "number" but
    /// those for transactions and orders.
    private static func isOtherLabel(_ word: String, isNumbered: Bool) -> Bool {
        let singular = word.last == "s" ? String(word.dropLast()) : word
        if otherLabels.contains(word) || otherLabels.contains(singular) { return true }
        let hasNumber =
            isNumbered || numberWords.contains { word.count > $0.count && $0.count > 2 && word.hasSuffix($0) }
        return hasNumber && !neutralWords.contains(word) && !ownLabels.contains { word.hasPrefix($0) }
    }

    private static let otherLabels: Set = [
        "ticket", "case", "incident", "request", "reference", "ref", "phone", "telephone", "tel", "mobile", "call",
        "item", "weborderlineitemid", "invoice", "serial", "imei", "fall", "vorgang", "telefon", "handy", "rechnung",
        "tracking",
    ]
    /// The beginnings of words for transactions and orders.
    private static let ownLabels = [
        "transa", "trx", "original", "order", "bestell", "kauf", "purchase", "receipt", "apple",
    ]
    /// What precedes "number" without naming anything, as "the" and a sentence's beginning do.
    private static let neutralWords: Set = ["", "a", "and", "my", "the", "this", "with"]
    private static let numberWords: Set = ["number", "nummer", "no", "nr", "num"]
    /// Further words between a label and its number.
    private static let fillers: Set = ["is", "id"]

    /// The length of the shortest identifier that is found among other words.
    private static let minCount = 6

    /// The length of the shortest line of a wrapped receipt. Its last line may be shorter.
    private static let minLineCount = 40

    /// Returns whether a character may be one of base64, of a token, or of an escape in them.
    private static func isOfDocument(_ byte: UInt8) -> Bool {
        isDigit(byte) || isLetter(byte) || documentMarks.contains(byte)
    }

    private static let documentMarks = Array("+/=-_.\\".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }
}
#endif
