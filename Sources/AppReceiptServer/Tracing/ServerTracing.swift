#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppStoreServerAPI
import HTTPTypes
import Logging
import Tracing

/// Starts the spans of the server. Without a tracer, each operation runs as it is.
///
/// Attributes and names contain no path, account, identifier, token or content.
@available(AppReceiptServer 1.0, *)
struct ServerTracing: Sendable {
    /// Records the spans; nil if nothing is recorded.
    var tracer: (any Tracer)?

    /// A part of a request.
    enum Operation: String {
        case verification = "verify"
        case storeRead = "read store"
        case storeWrite = "write store"
    }

    /// Runs an operation in a span.
    nonisolated(nonsending) func span<Value, Failure: Error>(
        _ operation: Operation, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let tracer else { return try await body() }
        let span = tracer.startSpan(operation.rawValue)
        defer { span.end() }
        // `withValue` has no typed errors.
        let result = await ServiceContext.$current.withValue(span.context) { () async -> Result<Value, Failure> in
            do throws(Failure) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        if case .failure(let error) = result {
            span.fail(ofType: (error as? StoreError)?.code.rawValue ?? "\(type(of: error))")
        }
        return try result.get()
    }

    /// Verifies data in a span.
    func verifying<Value>(_ body: () -> Value) -> Value {
        guard let tracer else { return body() }
        let span = tracer.startSpan(Operation.verification.rawValue)
        defer { span.end() }
        return body()
    }

    /// Starts the span of a request, below that of the client if the request names one, and adds the trace's identifier
    /// to the request's log.
    ///
    /// - Parameters:
    ///   - headers: The headers of the request.
    ///   - logger: The logger of the request.
    /// - Returns: The span; nil without a tracer.
    func startRequest(_ headers: HTTPFields, logger: inout Logger) -> (any Span)? {
        // The subscript joins the values of all fields with this name, which takes several times as long.
        let text = headers.contains { $0.name == .traceparent } ? headers[.traceparent] : nil
        var trace = text.flatMap { TraceContext(parsing: $0) }
        var span: (any Span)?
        if let tracer {
            var parent = ServiceContext.topLevel
            tracer.extract(headers, into: &parent, using: FieldExtractor())
            let started = tracer.startSpan("HTTP", context: parent, ofKind: .server)
            trace = trace ?? started.context.trace
            span = started
        }
        if let trace { logger[metadataKey: "trace-id"] = "\(trace.traceText)" }
        return span
    }

    /// Sends requests in spans, and names these in the requests; the transport as it is without a tracer.
    ///
    /// - Parameters:
    ///   - transport: The transport.
    ///   - name: Returns the name of a request's span, without its method.
    func traced(
        _ transport: any AppStoreServerTransport, name: @escaping @Sendable (AppStoreServerHTTPRequest) -> String
    ) -> any AppStoreServerTransport {
        guard let tracer else { return transport }
        return TracedTransport(transport: transport, tracer: tracer, name: name)
    }
}

/// A transport whose requests are spans.
@available(AppReceiptServer 1.0, *)
private struct TracedTransport: AppStoreServerTransport {
    let transport: any AppStoreServerTransport
    let tracer: any Tracer
    let name: @Sendable (AppStoreServerHTTPRequest) -> String

    func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
        let span = tracer.startSpan("\(request.method.rawValue) \(name(request))", ofKind: .client)
        defer { span.end() }
        span.updateAttributes { attributes in
            attributes["http.request.method"] = request.method.rawValue
            if let host = URL(string: request.url)?.host { attributes["server.address"] = host }
        }
        var request = request
        tracer.inject(span.context, into: &request.headers, using: HeaderInjector())
        do {
            let response = try await transport.send(request)
            span.attributes["http.response.status_code"] = response.status
            if response.status >= 400 { span.fail(ofType: String(response.status)) }
            return response
        } catch {
            span.fail(ofType: (error as? AppStoreServerTransportError)?.reason ?? "\(type(of: error))")
            throw error
        }
    }
}

extension Span {
    /// Marks the span as failed.
    ///
    /// - Parameter type: One of few words or numbers.
    func fail(ofType type: String) {
        attributes["error.type"] = type
        setStatus(SpanStatus(code: .error))
    }

    /// Records how a request was answered, and names the span after the route. Only an error of the server is a
    /// failure.
    ///
    /// - Parameters:
    ///   - method: The method; nil for one that isn't known.
    ///   - path: The path of the route, without values of its parameters. Hummingbird has another text if there is
    ///     none.
    ///   - status: The status of the response.
    func complete(method: String?, path: String?, status: Int) {
        let route = path.flatMap { $0.hasPrefix("/") ? $0 : nil }
        operationName = [method ?? "HTTP", route].compactMap(\.self).joined(separator: " ")
        updateAttributes { attributes in
            attributes["http.request.method"] = method ?? "_OTHER"
            if let route { attributes["http.route"] = route }
            attributes["http.response.status_code"] = status
        }
        if status >= 500 { fail(ofType: String(status)) }
    }
}

@available(AppReceiptServer 1.0, *)
extension AppStoreServerTransportError {
    /// The reason why there is no answer, in words that never contain the address.
    var reason: String {
        switch self {
        case .hostNotFound: "host not found"
        case .connectionRefused: "connection refused"
        case .connectionClosed: "connection closed"
        case .secureConnectionFailed: "TLS failed"
        case .timedOut: "timed out"
        case .responseTooLarge: "response too large"
        case .connectionFailed: "connection failed"
        }
    }
}

/// Reads the fields of a request.
private struct FieldExtractor: Extractor {
    func extract(key: String, from headers: HTTPFields) -> String? {
        HTTPField.Name(key).flatMap { headers[$0] }
    }
}

/// Adds headers to a request.
private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
}
#endif
