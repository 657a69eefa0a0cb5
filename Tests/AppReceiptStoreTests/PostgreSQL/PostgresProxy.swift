#if Postgres
import AppReceiptSupport
import Dispatch
import Foundation
import StoreTestSupport

@testable import AppReceiptStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A proxy in front of the socket of the test server, which can lose what either side sends.
final class PostgresProxy: Sendable {
    /// What the proxy does with a connection.
    enum Mode: Sendable {
        case forward
        /// The connection is closed instead of forwarding a commit.
        case loseCommit
        /// The commit is forwarded, and the connection closed instead of forwarding its answer.
        case loseAnswer
        /// Nothing is forwarded.
        case silent
    }

    private struct State: Sendable {
        var mode = Mode.forward
        var commits = 0
        var connections: [Int32] = []
    }

    private let state = LockedValueBox(State())
    private let listener: Int32
    private let server: String
    /// The address of a database through the proxy.
    let address: PostgresAddress

    /// - Parameter database: The database, whose server has a socket.
    init?(in database: PostgresTestDatabase) {
        guard let direct = PostgresAddress(parsing: database.text), let folder = direct.options["host"],
            let port = direct.options["port"]
        else { return nil }
        server = "\(folder)/.s.PGSQL.\(port)"
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var local = sockaddr_in()
        local.sin_family = sa_family_t(AF_INET)
        local.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = unsafe withUnsafeMutablePointer(to: &local) { local in
            unsafe local.withMemoryRebound(to: sockaddr.self, capacity: 1) { local in
                unsafe bind(listener, local, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, local, &length) == 0
            }
        }
        let options =
            direct.options["options"].map { "&options=" + $0.replacingOccurrences(of: "=", with: "%3D") } ?? ""
        guard isListening,
            let address = PostgresAddress(
                parsing: "postgres://appreceipt@127.0.0.1:\(UInt16(bigEndian: local.sin_port))/postgres?sslmode=disable"
                    + options)
        else { return nil }
        self.address = address
        Thread.detachNewThread { [self] in accept() }
    }

    /// The number of commits that were seen.
    var commits: Int { state.withLock(\.commits) }

    /// Changes what happens to connections, also to open ones.
    func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

    /// Closes the listener and all connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        for connection in state.withLock(\.connections) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var remote = sockaddr_un()
            remote.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &remote.sun_path) { path in
                for (index, byte) in server.utf8.enumerated() where index < path.count { unsafe path[index] = byte }
            }
            let isConnected = unsafe withUnsafePointer(to: &remote) { remote in
                unsafe remote.withMemoryRebound(to: sockaddr.self, capacity: 1) { remote in
                    unsafe connect(upstream, remote, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            guard isConnected else {
                close(client)
                close(upstream)
                continue
            }
            state.withLock { $0.connections += [client, upstream] }
            let isCommitting = LockedValueBox(false)
            Thread.detachNewThread { [self] in
                pump(from: client, to: upstream) { bytes in
                    guard bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil else { return true }
                    return self.state.withLock { state in
                        state.commits += 1
                        if case .loseAnswer = state.mode { isCommitting.withLock { $0 = true } }
                        if case .loseCommit = state.mode {
                            state.mode = .forward
                            return false
                        }
                        return true
                    }
                }
            }
            Thread.detachNewThread { [self] in
                pump(from: upstream, to: client) { bytes in
                    // The end of a transaction: ready for the next one, outside of any.
                    guard isCommitting.withLock(\.self), bytes.suffix(6) == [0x5A, 0, 0, 0, 5, 0x49] else {
                        return isCommitting.withLock { !$0 }
                    }
                    self.set(.forward)
                    return false
                }
            }
        }
    }

    /// Forwards bytes until `forwards` returns false or a side closes the connection, and closes both sides then.
    private func pump(from source: Int32, to target: Int32, forwards: ([UInt8]) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            while case .silent = state.withLock(\.mode) { usleep(10_000) }
            guard forwards(Array(buffer[..<count])) else { break }
            guard unsafe send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(source, Int32(SHUT_RDWR))
        shutdown(target, Int32(SHUT_RDWR))
    }
}
#endif
