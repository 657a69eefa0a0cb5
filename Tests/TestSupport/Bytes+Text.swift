import AppReceiptSupport
import Foundation

extension Array<UInt8> {
    /// Base64 on one line.
    public var base64: String { Data(self).base64EncodedString() }

    /// Base64 in lines of 64 characters.
    public func base64(lineBreak: String) -> String {
        var lines: [String] = []
        var rest = base64[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: lineBreak)
    }

    /// Returns PEM with this label.
    public func pem(_ label: String, lineBreak: String = "\n") -> String {
        [
            "-----BEGIN \(label)-----", base64(lineBreak: lineBreak), "-----END \(label)-----", "",
        ].joined(separator: lineBreak)
    }
}
