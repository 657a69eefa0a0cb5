#if Server
import NIOCore

/// A host with or without a port, as `Host` and `Origin` have them, normalized for comparison.
package struct Authority: Sendable, Hashable, CustomStringConvertible {
    /// A name in lower case, an IPv4 address, or an IPv6 address in its canonical form and in brackets.
    let host: String
    let port: UInt16?

    /// The length of the longest domain name, and of a port.
    private static let maxBytes = 253 + 6

    init(host: String, port: UInt16?) {
        self.host = host
        self.port = port
    }

    /// Parses `receipts.example.com`, `127.0.0.1:8080` or `[::1]:8080`.
    ///
    /// - Returns: nil for anything that isn't a host with or without a port. Names of other scripts must be in their
    ///   ASCII form, in which browsers send them.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maxBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"),
                let address = Self.canonicalIPv6(text[..<end].dropFirst())
            else { return nil }
            host = "[\(address)]"
            rest = text[end...].dropFirst()
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            guard end > text.startIndex, text[..<end].utf8.allSatisfy(Self.isPartOfName) else { return nil }
            host = text[..<end].lowercased()
            rest = text[end...]
        }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.allSatisfy(\.isWholeNumber), let number = UInt16(digits) else { return nil }
        port = number
    }

    package var description: String { port.map { "\(host):\($0)" } ?? host }

    /// Whether the host is this machine in every browser: `localhost` and its subdomains, 127.0.0.0/8 and ::1.
    package var isLoopback: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        // Names may begin with 127 too.
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0).map { String($0) } == String($0) }
    }

    private static func canonicalIPv6(_ address: Substring) -> String? {
        // Zone identifiers aren't valid in URLs.
        guard !address.utf8.contains(UInt8(ascii: "%")),
            let parsed = try? SocketAddress(ipAddress: String(address), port: 0), case .v6 = parsed
        else { return nil }
        return parsed.ipAddress
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
#endif
