#if Server
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import ArgumentParser
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Serves the fake over HTTP until the process receives SIGTERM or SIGINT.
@available(AppReceiptServer 1.0, *)
struct FakeServerApplication {
    let store: FakeAppStoreServer
    let port: Int

    /// - Parameter onListening: Called with the port once connections are accepted.
    /// - Throws: `ExitCode` 73 if the address isn't available.
    func run(onListening: @escaping @Sendable (_ port: Int) -> Void) async throws {
        let application = Application(
            responder: FakeServerResponder(store: store),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            logger: Logger(label: "appreceipt") { _ in SwiftLogNoOpLogHandler() })
        do {
            try await application.runService()
        } catch let error as IOError {
            let reason =
                error.errnoCode == EADDRINUSE
                ? "another process uses this port" : unsafe String(cString: strerror(error.errnoCode))
            Terminal.printError(
                "The fake can't listen on 127.0.0.1, port \(port): \(reason). Choose another --port, or 0 for any that is free."
            )
            throw ExitCode(73)
        }
    }
}

/// Responds to HTTP requests as the fake does, and waits and closes connections where it only reports that.
@available(AppReceiptServer 1.0, *)
struct FakeServerResponder: HTTPResponder {
    let store: FakeAppStoreServer

    private static let maxBodyBytes = 1 << 20

    func respond(to request: Request, context: FakeServerContext) async throws -> Response {
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        let body = Array(buffer: try await request.body.collect(upTo: Self.maxBodyBytes))
        guard let method = AppStoreServerHTTPRequest.Method(rawValue: request.method.rawValue) else {
            return Response(status: .methodNotAllowed)
        }
        let reply = store.reply(
            to: AppStoreServerHTTPRequest(
                method: method, url: request.uri.string, headers: headers, body: body.isEmpty ? nil : body))
        log(request, reply: reply)
        if reply.delay > .zero { try await Task.sleep(for: reply.delay) }
        switch reply.cut {
        case .beforeResponse:
            try await context.channel.close()
            throw CancellationError()
        case .midway: return halfResponse(reply.response, closing: context.channel)
        case nil:
            if let pause = reply.drip { return drippingResponse(reply.response, pause: pause) }
            return response(reply.response, body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.response.body)))
        }
    }

    private func response(_ made: AppStoreServerHTTPResponse, body: ResponseBody) -> Response {
        var fields = HTTPFields()
        for (name, value) in made.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return Response(status: HTTPResponse.Status(code: made.status), headers: fields, body: body)
    }

    /// Returns a response whose body arrives a byte at a time.
    private func drippingResponse(_ made: AppStoreServerHTTPResponse, pause: Duration) -> Response {
        let body = ResponseBody(contentLength: made.body.count) { writer in
            for byte in made.body {
                try await writer.write(ByteBuffer(bytes: [byte]))
                try await Task.sleep(for: pause)
            }
            try await writer.finish(nil)
        }
        return response(made, body: body)
    }

    /// Returns a response whose connection is closed after half of its body.
    private func halfResponse(_ made: AppStoreServerHTTPResponse, closing channel: any Channel) -> Response {
        let body = ResponseBody(contentLength: max(made.body.count, 1)) { writer in
            try await writer.write(ByteBuffer(bytes: made.body.prefix(made.body.count / 2)))
            try await channel.close()
            throw CancellationError()
        }
        return response(made, body: body)
    }

    /// Shows the request, and why it wasn't authorized. Apple doesn't tell.
    private func log(_ request: Request, reply: FakeAppStoreServer.Reply) {
        let status = reply.cut == nil ? String(reply.response.status) : "connection cut"
        let reason = reply.authorizationFailure.map { " (token: \($0.rawValue))" } ?? ""
        Terminal.note("\(request.method.rawValue) \(request.uri.string) \(status)\(reason)")
    }
}

/// The context of a request of the fake: the connection, which faults close.
@available(AppReceiptServer 1.0, *)
struct FakeServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
#endif
