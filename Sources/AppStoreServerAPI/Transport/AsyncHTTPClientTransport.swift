#if Server
public import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Sends requests with async-http-client. Requires the trait `Server`.
    public struct AsyncHTTPClientTransport: AppStoreServerTransport {
        private let client: HTTPClient

        /// Creates a transport that shares one client with all others. It follows no redirects.
        public init() { client = Self.shared }

        /// Creates a transport.
        ///
        /// - Parameter client: A client that follows no redirects (`redirectConfiguration: .disallow`), because the
        ///   authorization is for the request's host only. The caller shuts it down. `HTTPClient.shared` follows
        ///   redirects.
        public init(client: HTTPClient) { self.client = client }

        // Never shut down, as HTTPClient.shared.
        private static let shared = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)

        private static var configuration: HTTPClient.Configuration {
            var configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow,
                timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10), read: .seconds(60)))
            // AppStoreServerClient repeats requests: a refused connection is known at once instead of after the time
            // limit.
            configuration.connectionPool.retryConnectionEstablishment = false
            return configuration
        }

        /// Sends a request and returns its response, whatever the status.
        public func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            var outgoing = HTTPClientRequest(url: request.url)
            outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
            outgoing.headers = HTTPHeaders(request.headers.map { ($0.key, $0.value) })
            if let body = request.body { outgoing.body = .bytes(body) }
            do {
                // The client's own limit ends with the response's head.
                let ready = outgoing
                return try await withTimeLimit(request.timeout) { try await exchange(ready, for: request) }
            } catch {
                throw Self.transportError(error)
            }
        }

        private func exchange(
            _ outgoing: HTTPClientRequest, for request: AppStoreServerHTTPRequest
        ) async throws -> AppStoreServerHTTPResponse {
            let response = try await client.execute(outgoing, timeout: TimeAmount(request.timeout))
            guard response.history.count <= 1 else {
                throw AppStoreServerTransportError.connectionFailed("the HTTP client followed a redirect")
            }
            let body = try await response.body.collect(upTo: request.maxResponseBytes)
            return AppStoreServerHTTPResponse(
                status: Int(response.status.code), headers: Self.headers(response.headers),
                body: Array(body.readableBytesView))
        }

        /// Returns the headers with names in lowercase. Of several with the same name, the last one is used.
        private static func headers(_ headers: HTTPHeaders) -> [String: String] {
            Dictionary(headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { _, last in last })
        }

        /// Returns the cause by number. NIO's description says "connection reset" for a refused connection too.
        private static func transportError(_ error: IOError) -> AppStoreServerTransportError {
            switch error.errnoCode {
            case ECONNREFUSED: .connectionRefused
            case ECONNRESET, EPIPE: .connectionClosed
            case EHOSTUNREACH, ENETUNREACH: .connectionFailed("there is no route to the host")
            default: .connectionFailed(unsafe String(cString: strerror(error.errnoCode)))
            }
        }

        /// Returns the cause of an error of swift-nio-ssl, which isn't a dependency of its own: its errors have no
        /// common type that is visible here.
        private static func tlsError(_ error: any Error) -> AppStoreServerTransportError {
            let text = String(describing: error)
            if text.contains("uncleanShutdown") { return .connectionClosed }
            let causes = [
                ("CERTIFICATE_VERIFY_FAILED", "the server's certificate isn't trusted"),
                ("failedToValidateHostname", "the server's certificate is for another host name"),
                ("WRONG_VERSION_NUMBER", "the server doesn't use TLS on this port"),
                ("EOF during handshake", "the server closed the connection during the handshake"),
            ]
            return .secureConnectionFailed(causes.first { text.contains($0.0) }?.1 ?? "the handshake failed")
        }

        private static func transportError(_ error: any Error) -> any Error {
            switch error {
            case is CancellationError: return error
            case is AppStoreServerTransportError: return error
            case is NIOTooManyBytesError: return AppStoreServerTransportError.responseTooLarge
            case let error as NIOConnectionError:
                // A host may have several addresses. One failure is enough to explain the others.
                return error.connectionErrors.first.map { transportError($0.error) }
                    ?? AppStoreServerTransportError.hostNotFound
            case let error as HTTPClientError:
                if error == .cancelled { return CancellationError() }
                if error == .remoteConnectionClosed { return AppStoreServerTransportError.connectionClosed }
                if [.connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded].contains(error) {
                    return AppStoreServerTransportError.timedOut
                }
                return AppStoreServerTransportError.connectionFailed(error.shortDescription)
            case let error as IOError: return transportError(error)
            case is HTTPParserError, is ChannelError: return AppStoreServerTransportError.connectionClosed
            case let error where String(reflecting: type(of: error)).hasPrefix("NIOSSL."): return tlsError(error)
            default:
                // The type only: a description may contain the address with an identifier.
                return AppStoreServerTransportError.connectionFailed("\(type(of: error))")
            }
        }
    }
}
#endif
