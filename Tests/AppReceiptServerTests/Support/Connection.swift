#if Server
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A raw connection to the server under test, for requests that HTTP libraries don't send.
///
/// Its methods block, so call them on a separate thread (``onThread(_:)``).
@safe
final class Connection: @unchecked Sendable {
    private let descriptor: Int32
    private var pending: [UInt8] = []
    /// The timeout in seconds. Tests that run at the same time may delay the server.
    private static let defaultTimeout = 120.0

    struct Failure: Error {
        let what: String
        let number: Int32
    }

    init(port: Int) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try setTimeout(Self.defaultTimeout)
        #if canImport(Glibc)
        // A connection that the server closed must not terminate the process.
        signal(SIGPIPE, SIG_IGN)
        #endif
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(what: "connect", number: errno) }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(what: "write", number: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads more bytes. Returns false once the server has closed the connection.
    private func readMore() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(what: "read", number: errno) }
        pending += buffer[..<count]
        return count > 0
    }

    /// Reads the next response. Returns nil if the server closed the connection instead.
    func response(toHead: Bool = false) throws -> ServerResponse? {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = Self.position(of: end, in: pending)
            if headEnd == nil, try !readMore() { return nil }
        }
        guard let headEnd else { return nil }
        let lines = String(decoding: pending[..<headEnd], as: UTF8.self).components(separatedBy: "\r\n")
        pending.removeFirst(headEnd + 4)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        let length = toHead ? 0 : Int(headers["content-length"] ?? "") ?? 0
        while pending.count < length {
            guard try readMore() else { throw Failure(what: "short body", number: 0) }
        }
        let body = Array(pending.prefix(length))
        pending.removeFirst(length)
        let status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } } ?? 0
        return ServerResponse(status: status, headers: headers, body: body)
    }

    /// Reads the next response, if it arrives within the given time.
    func response(within seconds: Double) throws -> ServerResponse? {
        try setTimeout(seconds)
        defer { try? setTimeout(Self.defaultTimeout) }
        return try response()
    }

    private func setTimeout(_ seconds: Double) throws {
        let microseconds = Int(seconds * 1_000_000)
        var timeout = timeval()
        timeout.tv_sec = .init(microseconds / 1_000_000)
        timeout.tv_usec = .init(microseconds % 1_000_000)
        unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Returns whether the server closes the connection without sending anything more.
    func isClosed() throws -> Bool { try pending.isEmpty && !readMore() }

    private static func position(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= mark.count else { return nil }
        return (0...bytes.count - mark.count).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
    }
}

/// Runs blocking code on a separate thread, because Swift's thread pool has only one thread per core.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
#endif
