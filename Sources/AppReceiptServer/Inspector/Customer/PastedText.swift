#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppStoreSignedData

/// A text from a person, such as a mail, and the names and numbers in it.
@available(AppReceiptServer 1.0, *)
struct PastedText: Sendable {
    /// The text in UTF-8.
    let bytes: [UInt8]
    /// The text as a mail program shows it.
    private let plain: [UInt8]
    /// The same without the lines of a mail's head that are for programs, whose numbers and names are others.
    private let body: [UInt8]
    /// The identifiers at the App Store, the first ones, each once.
    let identifiers: [AppStoreIdentifier]

    /// - Parameter bytes: The text in UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        plain = Array(MailText(bytes[...]).text)
        body = Self.withoutProgramsLines(plain)
        identifiers = Self.identifiers(in: body)
    }

    /// Returns the identifiers in a text. Numbers in addresses are none, but a link in Apple's mails may contain an
    /// order.
    private static func identifiers(in text: [UInt8]) -> [AppStoreIdentifier] {
        var (prose, addresses): ([ArraySlice<UInt8>], [ArraySlice<UInt8>]) = ([], [])
        for word in text.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) {
            if isAddress(word) { addresses.append(word) } else { prose.append(word) }
        }
        let named = AppStoreIdentifier.all(in: Array(prose.joined(separator: [0x0A])), maxCount: maxIdentifiers)
        let linked = AppStoreIdentifier.all(in: Array(addresses.joined(separator: [0x0A])), maxCount: maxIdentifiers)
        let orders = linked.filter { if case .order = $0 { !named.contains($0) } else { false } }
        return Array((named + orders).prefix(maxIdentifiers))
    }

    /// Returns whether a word is a link or an address of mail. A longer one is a document.
    private static func isAddress(_ word: ArraySlice<UInt8>) -> Bool {
        word.count <= maxAddressBytes && ["@", "://", "www."].contains { word.firstRange(of: Array($0.utf8)) != nil }
    }

    private static let maxAddressBytes = 512

    /// Returns the text without lines such as `Message-ID: …` and `Received: …` in a mail's head, and what continues
    /// them.
    private static func withoutProgramsLines(_ text: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        var (isHead, isForPrograms) = (true, false)
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let isContinuation = line.first.map { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } ?? false
            if isHead, !isContinuation {
                if line.trimmingWhitespace.isEmpty {
                    isHead = kept.isEmpty && !isForPrograms
                    isForPrograms = false
                } else if let end = line.firstIndex(of: UInt8(ascii: ":")), !line[..<end].contains(UInt8(ascii: " ")) {
                    let name = String(decoding: line[..<end], as: UTF8.self).lowercased()
                    isForPrograms = programsLabels.contains { name.hasPrefix($0) }
                } else {
                    (isHead, isForPrograms) = (false, false)
                }
            }
            if !isForPrograms { kept.append(line) }
        }
        return Array(kept.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// How the lines of a mail's head begin that are for programs.
    private static let programsLabels = [
        "arc-", "authentication-results", "content-", "date", "delivered-to", "dkim-", "in-reply-to", "list-",
        "message-id", "mime-version", "received", "references", "return-path", "thread-", "user-agent", "x-",
    ]

    /// The number of identifiers in a text that are looked up. A mail has fewer.
    static let maxIdentifiers = 20

    /// Whether words surround something that begins like a receipt or token, which can't be read, or the rest of one.
    var containsDocument: Bool {
        let words = bytes.split { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ">") }
        let begins = words.contains { word in
            word.count >= Self.minLineBytes && (word.starts(with: "MII".utf8) || word.starts(with: "eyJ".utf8))
        }
        return begins || restOfDocument >= Self.minRestBytes
    }

    /// The length of the lines of base64 in what a mail program shows. No word of a language is one, nor is a digest in
    /// hexadecimal digits.
    private var restOfDocument: Int {
        plain.split { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ">") }
            .filter { word in
                word.count >= Self.minLineBytes && word.allSatisfy(Self.base64.contains)
                    && word.contains { (0x41...0x5A).contains($0) } && word.contains { (0x67...0x7A).contains($0) }
            }
            .reduce(0) { $0 + $1.count }
    }

    private static let base64 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-".utf8)
    /// The length of base64 that is neither an address nor a name.
    private static let minRestBytes = 200

    /// The length of the shortest line of a wrapped receipt.
    private static let minLineBytes = 48

    /// Whether the text says "transaction" or "transactions".
    var mentionsTransaction: Bool {
        words.contains { $0.lowercased() == "transaction" || $0.lowercased() == "transactions" }
    }

    // MARK: Accounts

    /// The address of the mail's sender in lowercase; nil if the text has no such line.
    var sender: String? { addresses(after: Self.senderLabels).first?.lowercased() }

    /// The addresses of the senders in lowercase, also of forwarded mails further down.
    var senders: Set<String> {
        Set(addresses(after: Self.senderLabels, maxLines: .max).map { $0.lowercased() })
    }

    /// Returns the addresses in the lines of a mail's head that begin with one of the words.
    private func addresses(after labels: Set<String>, maxLines: Int = maxHeadLines) -> [String] {
        plain.split(separator: UInt8(ascii: "\n")).prefix(maxLines).flatMap { line -> [String] in
            let words = Self.words(in: line)
            guard let first = words.first, labels.contains(first.lowercased()) else { return [] }
            return words.filter(Self.isMailAddress)
        }
    }

    /// How mail programs begin the line with the sender.
    private static let senderLabels: Set = ["from", "von", "de", "da", "van"]
    /// How they begin the lines with the recipients.
    private static let recipientLabels: Set = ["to", "cc", "an", "kopie", "à", "para", "aan", "a"]
    /// A later line is in the mail's text.
    private static let maxHeadLines = 30

    /// The text without whitespace at its ends, if it is one word of visible ASCII, as accounts are; otherwise nil.
    var word: String? {
        let whole = bytes[...].trimmingWhitespace
        guard !whole.isEmpty, whole.count <= Self.maxNameBytes, whole.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        return String(decoding: whole, as: UTF8.self)
    }

    /// The accounts that the text may name, the first ones, each once: the text itself if it is one word, the addresses
    /// of mail and UUIDs in it, what follows a label such as "account", and words such as "user-42".
    var names: [String] {
        let words = words
        return Self.distinct(identities(words) + Self.labeled(words) + words.filter(Self.looksLikeName))
    }

    /// Returns the text itself if it is one word, and the addresses of mail and UUIDs in it.
    private func identities(_ words: [String]) -> [String] {
        (word.map { [$0] } ?? []) + words.filter { Self.isMailAddress($0) || UUID(uuidString: $0) != nil }
    }

    private static func distinct(_ names: [String]) -> [String] {
        var known: Set<String> = []
        return Array(names.filter { known.insert($0).inserted }.prefix(maxIdentifiers))
    }

    /// The names that are a search for an account rather than words: one word with a digit or "@", or what follows a
    /// label. Whoever a mail was sent to isn't an account of its sender.
    var searchedNames: [String] {
        let recipients = addresses(after: Self.recipientLabels)
        let words = words.filter { !recipients.contains($0) }
        let all = identities(words) + Self.labeled(words).filter(Self.looksLikeName)
        return Self.distinct(all).filter { name in
            // A part of a receipt is neither.
            name.utf8.count < Self.maxWordBytes && !name.hasPrefix("MII")
                && name.utf8.allSatisfy { Self.nameCharacters.contains($0) }
                && name.contains { $0 == "@" || $0.isNumber }
        }
    }

    /// The words, without the marks around them.
    private var words: [String] { Self.words(in: body[...]) }

    private static func words(in text: ArraySlice<UInt8>) -> [String] {
        text.split { $0 <= UInt8(ascii: " ") || separators.contains($0) }
            .filter { $0.count <= maxNameBytes }.prefix(maxWords)
            .map { bare(String(decoding: $0, as: UTF8.self)) }.filter { !$0.isEmpty }
    }

    /// Returns a word without what quotes it, ends a sentence, or makes it a possessive.
    private static func bare(_ word: String) -> String {
        let rest = word.unicodeScalars.drop { punctuation.contains($0) }
        guard let end = rest.lastIndex(where: { !punctuation.contains($0) }) else { return "" }
        let bare = rest[...end]
        // The apostrophe in an address of mail stays.
        guard bare.last == "s", let mark = bare.dropLast().last, apostrophes.contains(mark) else { return String(bare) }
        return String(bare.dropLast(2))
    }

    private static func isMailAddress(_ word: String) -> Bool {
        guard let at = word.firstIndex(of: "@"), at > word.startIndex else { return false }
        return word[at...].contains(".")
    }

    /// Returns whether no word of a language looks like it: letters with a digit or one of the marks in names. Without
    /// a label, a number alone may be anything.
    private static func looksLikeName(_ word: String) -> Bool {
        word.utf8.count < maxWordBytes && word.utf8.allSatisfy { nameCharacters.contains($0) }
            && word.contains(where: \.isLetter)
            && word.contains { $0.isNumber || nameMarks.contains($0) }
    }

    /// Returns the words after labels, such as "user-42" in "my account is user-42".
    private static func labeled(_ words: [String]) -> [String] {
        var found: [String] = []
        var followsLabel = false
        for word in words {
            let lowercased = word.lowercased()
            if labels.contains(lowercased) {
                followsLabel = true
            } else if followsLabel, !fillers.contains(lowercased) {
                found.append(word)
                followsLabel = false
            }
        }
        return found
    }

    private static let labels: Set = ["account", "user", "username", "login", "id"]
    /// The words between a label and what it names.
    private static let fillers: Set = ["is", "name", "number"]
    private static let nameMarks: Set<Character> = ["-", "_", "@"]
    private static let apostrophes = Set("'\u{2019}".unicodeScalars)
    private static let punctuation = Set(".!?*'_#=\u{2018}\u{2019}\u{201C}\u{201D}\u{201E}\u{AB}\u{BB}".unicodeScalars)
    /// The characters that aren't part of a name, as in `Anna <anna@example.com>, …`.
    private static let separators = Array("<>()[]\",;:".utf8)
    /// A longer text is a document.
    private static let maxWords = 10_000
    /// The length of the longest account.
    private static let maxNameBytes = 256
    /// The length from which a word may be a line of base64.
    private static let maxWordBytes = 64
    private static let nameCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.@_:+-".utf8)
}
#endif
