import AppReceiptSupport
import AppStoreServerAPI

/// The parts of a request's address.
@available(AppStoreServerAPI 1.0, *)
struct RequestTarget {
    /// The environment that the host or the first segment of the path names.
    let environment: FakeAppStoreServer.Environment
    /// The path as written, without `/sandbox`.
    let path: String
    /// The decoded segments of the path.
    let segments: [String]
    /// The decoded query parameters in their order.
    let query: [(name: String, value: String)]

    /// Reads an absolute address, or a path with its query.
    init(_ address: String) {
        var rest = address[...]
        var host: Substring = ""
        if let start = rest.firstRange(of: "://") {
            rest = rest[start.upperBound...]
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            host = rest[..<end]
            rest = rest[end...]
        }
        rest = rest.prefix { $0 != "#" }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path = String(parts.first ?? "")
        let isBelowSandbox = path == "/sandbox" || path.hasPrefix("/sandbox/")
        if isBelowSandbox { path.removeFirst("/sandbox".count) }
        self.path = path
        environment = isBelowSandbox || host.contains("sandbox") ? .sandbox : .production
        segments = path.split(separator: "/").map { Self.decoded($0) }
        query = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count > 1 ? halves[1] : ""
            return (Self.decoded(halves[0], plusIsSpace: true), Self.decoded(value, plusIsSpace: true))
        }
    }

    /// Decodes percent-encoded bytes (RFC 3986, 2.1).
    private static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
