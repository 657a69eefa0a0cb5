#if canImport(Darwin) || SHAPE_APPLE
import AppReceiptSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Sends requests with `URLSession`, on Apple's platforms.
    ///
    /// It follows no redirects, and stores neither cookies nor responses.
    public struct URLSessionTransport: AppStoreServerTransport {
        /// Creates a transport. All share one session.
        public init() {}

        private static let delegate = URLSessionResponseCollector()

        private static let session: URLSession = {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        }()

        /// Sends a request and returns its response, whatever the status.
        public func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            guard let url = URL(string: request.url) else {
                throw AppStoreServerTransportError.connectionFailed("the address isn't a URL")
            }
            var outgoing = URLRequest(url: url)
            outgoing.httpMethod = request.method.rawValue
            outgoing.httpBody = request.body.map { Data($0) }
            for (name, value) in request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
            // The session's limit is for the time between two packets.
            outgoing.timeoutInterval = request.timeout.inSeconds
            let ready = outgoing
            return try await withTimeLimit(request.timeout) {
                try await exchange(ready, maxBytes: request.maxResponseBytes)
            }
        }

        private func exchange(_ request: URLRequest, maxBytes: Int) async throws -> AppStoreServerHTTPResponse {
            let task = Self.session.dataTask(with: request)
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    Self.delegate.expect(task, maxBytes: maxBytes, resuming: continuation)
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        }
    }
}

/// The delegate of a session: collects the response to each request, up to a limit, and follows no redirect.
@available(AppStoreServerAPI 1.0, *)
final class URLSessionResponseCollector: NSObject, URLSessionDataDelegate, Sendable {
    private struct Transfer {
        let continuation: CheckedContinuation<AppStoreServerHTTPResponse, any Error>
        let maxBytes: Int
        var body: [UInt8] = []
        var isTooLarge = false
    }

    private let transfers = LockedValueBox<[Int: Transfer]>([:])

    /// Sets who receives the response to a task that wasn't started yet.
    func expect(
        _ task: URLSessionTask, maxBytes: Int,
        resuming continuation: CheckedContinuation<AppStoreServerHTTPResponse, any Error>
    ) {
        let transfer = Transfer(continuation: continuation, maxBytes: maxBytes)
        transfers.withLock { $0[task.taskIdentifier] = transfer }
    }

    func urlSession(
        _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse, newRequest _: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = transfers.withLock { transfers in
            guard var transfer = transfers.removeValue(forKey: dataTask.taskIdentifier) else { return false }
            transfer.isTooLarge = transfer.isTooLarge || data.count > transfer.maxBytes - transfer.body.count
            if !transfer.isTooLarge { transfer.body.append(contentsOf: data) }
            transfers[dataTask.taskIdentifier] = transfer
            return transfer.isTooLarge
        }
        if isTooLarge { dataTask.cancel() }
    }

    func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let transfer = transfers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        transfer.continuation.resume(
            with: Result {
                if transfer.isTooLarge { throw AppStoreServerTransportError.responseTooLarge }
                if let error { throw Self.transportError(error) }
                guard let response = task.response as? HTTPURLResponse else {
                    throw AppStoreServerTransportError.connectionFailed("there is no HTTP response")
                }
                return AppStoreServerHTTPResponse(
                    status: response.statusCode, headers: Self.headers(response), body: transfer.body)
            })
    }

    private static func headers(_ response: HTTPURLResponse) -> [String: String] {
        var headers: [String: String] = [:]
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
        }
        return headers
    }

    private static func transportError(_ error: any Error) -> any Error {
        switch (error as? URLError)?.code {
        case .cancelled?: CancellationError()
        case .timedOut?: AppStoreServerTransportError.timedOut
        case .cannotFindHost?, .dnsLookupFailed?: AppStoreServerTransportError.hostNotFound
        case .cannotConnectToHost?: AppStoreServerTransportError.connectionRefused
        case .networkConnectionLost?: AppStoreServerTransportError.connectionClosed
        case .serverCertificateUntrusted?, .serverCertificateHasUnknownRoot?, .serverCertificateHasBadDate?,
            .serverCertificateNotYetValid?:
            AppStoreServerTransportError.secureConnectionFailed("the server's certificate isn't trusted")
        case .secureConnectionFailed?:
            AppStoreServerTransportError.secureConnectionFailed("the server accepts no TLS connection on this port")
        // The number only: the description contains the address with an identifier.
        case let code?: AppStoreServerTransportError.connectionFailed("URLError \(code.rawValue)")
        case nil: AppStoreServerTransportError.connectionFailed("\(type(of: error))")
        }
    }
}
#endif
