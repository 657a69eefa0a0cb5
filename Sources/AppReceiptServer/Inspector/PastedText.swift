#if Server
import AppReceiptSupport
import AppStoreSignedData

/// A text from a person, such as a mail, and the names and numbers in it.
@available(AppReceiptServer 1.0, *)
struct PastedText: Sendable {
    /// The text in UTF-8.
    let bytes: [UInt8]
    /// The text as a mail program shows it.
    private let plain: [UInt8]

    /// - Parameter bytes: The text in UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        plain = Array(MailText(bytes[...]).text)
    }

    /// The identifiers at the App Store, the first ones, each once.
    var identifiers: [AppStoreIdentifier] { AppStoreIdentifier.all(in: plain, maxCount: Self.maxIdentifiers) }

    /// The number of identifiers in a text that are looked up. A mail has fewer.
    static let maxIdentifiers = 20

    /// Whether words surround something that begins like a receipt or token, which can't be read.
    var containsDocument: Bool {
        bytes.split { $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: ">") }.contains { word in
            word.count >= Self.minLineBytes && (word.starts(with: "MII".utf8) || word.starts(with: "eyJ".utf8))
        }
    }

    /// The length of the shortest line of a wrapped receipt.
    private static let minLineBytes = 48

    // MARK: Accounts

    /// The text without whitespace at its ends, if it is one word of visible ASCII, as accounts are; otherwise nil.
    var word: String? {
        let whole = bytes[...].trimmingWhitespace
        guard !whole.isEmpty, whole.count <= Self.maxNameBytes, whole.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        return String(decoding: whole, as: UTF8.self)
    }

    /// The accounts that the text may name, each once: the text itself if it is one word, and the addresses of mail in
    /// it.
    var names: [String] {
        var known: Set<String> = []
        return ((word.map { [$0] } ?? []) + mailAddresses).filter { known.insert($0).inserted }
    }

    /// The names that are a search for an account rather than words: one word with a digit or "@".
    var searchedNames: [String] {
        names.filter { name in
            // A part of a receipt is neither.
            name.utf8.count <= Self.maxWordBytes && !name.hasPrefix("MII")
                && name.utf8.allSatisfy { Self.nameCharacters.contains($0) }
                && name.contains { $0 == "@" || $0.isNumber }
        }
    }

    /// The addresses of mail, the first ones, each once.
    private var mailAddresses: [String] {
        var addresses: [String] = []
        for word in plain.split(whereSeparator: { $0 <= UInt8(ascii: " ") || Self.addressEnds.contains($0) }) {
            guard let at = word.firstIndex(of: UInt8(ascii: "@")), at > word.startIndex,
                word[at...].contains(UInt8(ascii: ".")), word.count <= Self.maxNameBytes
            else { continue }
            // What is quoted or ends a sentence has a mark beside it.
            let bare = word.drop { Self.punctuation.contains($0) }.reversed()
                .drop { Self.punctuation.contains($0) }.reversed()
            let address = String(decoding: bare, as: UTF8.self)
            if !addresses.contains(address) { addresses.append(address) }
            if addresses.count == Self.maxIdentifiers { break }
        }
        return addresses
    }

    private static let punctuation = Array(".!?*'_".utf8)
    /// The characters that aren't part of an address, as in `Anna <anna@example.com>, …`.
    private static let addressEnds = Array("<>()[]\",;:".utf8)
    /// The length of the longest account.
    private static let maxNameBytes = 256
    /// The length of the longest word that is a search for an account. Base64 is longer.
    private static let maxWordBytes = 64
    private static let nameCharacters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.@_:+-".utf8)
}
#endif
