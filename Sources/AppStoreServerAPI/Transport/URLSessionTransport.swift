#if canImport(Darwin) || SHAPE_APPLE
import AppReceiptSupport
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests with `URLSession`, on Apple's platforms.
///
/// It follows no redirects, and stores neither cookies nor responses.
@available(AppStoreServerAPI 1.0, *)
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
        return try await TimeLimit.run(request.timeout) {
            try await exchange(ready, maxBytes: request.maxResponseBytes)
        }
    }

    private func exchange(_ request: URLRequest, maxBytes: Int) async throws -> AppStoreServerHTTPResponse {
        let task = Self.session.dataTask(with: request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Self.delegate.expect(task, maxBytes: maxBytes, continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}
#endif
