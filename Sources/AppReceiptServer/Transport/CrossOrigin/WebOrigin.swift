#if Server
/// An origin of pages, as browsers write it in `Origin`: `https://app.example.com`, `ionic://localhost`, `null` for
/// pages from files; or `*` for every origin.
package struct WebOrigin: Sendable, Hashable {
    /// The text that browsers send: in lower case, without the default port of http and https.
    let text: String

    /// Every origin.
    static let any = WebOrigin(text: "*")

    private init(text: String) { self.text = text }

    /// Parses an origin of a setting.
    ///
    /// - Returns: nil for anything else, such as an address with a path.
    package init?(_ text: String) {
        // Older web views write the origin of files as `file://`.
        guard text != "null", text != "*", text != "file://" else {
            self.text = text
            return
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"),
            let authority = Authority(String(text[colon...].dropFirst(3)))
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isPartOfScheme) else {
            return nil
        }
        let defaultPort: UInt16? = ["http": 80, "https": 443][scheme]
        let isDefault = authority.port != nil && authority.port == defaultPort
        self.text = "\(scheme)://\(isDefault ? Authority(host: authority.host, port: nil) : authority)"
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    private static func isPartOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: isLetter(byte)
        }
    }
}
#endif
