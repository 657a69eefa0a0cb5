#if Server
import AppReceiptKit
import CoreMetrics
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
public import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Answers what was asked of Apple's verifyReceipt, on your own machine, and more: a JSON API for receipts and signed data,
/// notifications of the App Store's server, and a web inspector.
///
/// ```swift
/// var configuration = ServerConfiguration()
/// configuration.bundleIdentifiers = ["com.example.app"]
/// let server = try ReceiptServer(configuration, logger: Logger(label: "receipts"))
/// try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
///
/// It speaks HTTP/1.1 without encryption, so it belongs behind a reverse proxy or on loopback. Requests are judged by
/// Swift's own threads, never on those that read and write connections.
@available(AppReceiptServer 1.0, *)
public struct ReceiptServer: Service {
    /// What it trusts, whom it answers, how much it takes upon itself.
    public let configuration: ServerConfiguration
    let service: ReceiptService
    private let logger: Logger
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// Opens the database. Nothing listens before ``run()``.
    ///
    /// - Parameters:
    ///   - configuration: of the server.
    ///   - logger: what happened, in words and fields without receipts, tokens or identifiers.
    ///   - metrics: where numbers are kept that `/metrics` shows.
    ///   - onListening: is told the port once connections are accepted.
    /// - Throws: `StoreError` if the database cannot be opened.
    public init(
        _ configuration: ServerConfiguration, logger: Logger, metrics: PrometheusRegistry = PrometheusRegistry(),
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        service = try ReceiptService(configuration, metrics: ServerMetrics(metrics))
    }

    /// Creates the router: the middleware and routes of every request.
    func makeRouter() -> ServerRouter {
        let router = ServerRouter()
        router.add(middleware: RequestObserver(metrics: service.metrics, limits: configuration.limits))
        router.add(middleware: CrossOriginProtection(allowedHosts: configuration.allowedHosts))

        let verifyReceipt = router.group()
            .add(middleware: VerifyReceiptErrorMiddleware(metrics: service.metrics))
            .add(middleware: AccountHeader())
        VerifyReceiptRoutes(service: service).addRoutes(to: verifyReceipt)

        let api = router.group("/v1").add(middleware: APIErrorMiddleware(limits: configuration.limits))
        // The App Store has no token of this server. Notifications are signed instead.
        NotificationRoutes(service: service).addRoutes(to: api)
        let authenticated = api.group().add(middleware: Authentication(token: configuration.bearerToken))
        ReceiptRoutes(service: service).addRoutes(to: authenticated)
        SignedDataRoutes(service: service).addRoutes(to: authenticated)

        OperationRoutes(service: service).addRoutes(to: router.group())
        if configuration.servesInspector {
            let inspector = InspectorRoutes(service: service)
            inspector.addRoutes(to: authenticated)
            inspector.addPage(to: router.group())
        }
        return router
    }

    /// Serves until SIGTERM or SIGINT come, and then finishes what is in flight, for as long as the limits allow.
    ///
    /// - Throws: ``ListeningFailure``, or what made it stop otherwise.
    public func runUntilSignalled() async throws {
        var group = ServiceGroupConfiguration(
            services: [
                .init(
                    service: self, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(configuration.limits.shutdownSeconds)
        try await ServiceGroup(configuration: group).run()
    }

    /// Serves until it is told to stop, and then finishes what is in flight and closes the database.
    public func run() async throws {
        let (limits, service, onListening) = (configuration.limits, service, onListening)
        let http = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionDeadlines(limits: limits, admission: service.admission, metrics: service.metrics)
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.headerBytes, maxHeaderListSize: limits.headerBytes, maxHeaderFieldCount: 100)
        )
        // Beyond the connections that are served there is room for as many that are told to come again.
        let acceptable = FileLimit.room(forConnections: 2 * limits.connections)
        if acceptable < limits.connections {
            logger.warning(
                "The system allows fewer open files than there may be connections",
                metadata: ["connections": "\(limits.connections)", "room": "\(acceptable)"])
        }
        let application = Application(
            router: makeRouter(),
            server: .http1(configuration: http),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(acceptable)),
            onServerRunning: { await onListening($0.localAddress?.port ?? 0) },
            logger: logger)
        do {
            try await application.run()
        } catch {
            try? await service.store.close()
            throw ListeningFailure(configuration, error) ?? error
        }
        try await service.store.close()
    }
}

@available(AppReceiptServer 1.0, *)
extension ReceiptServer: CustomStringConvertible, CustomReflectable {
    /// A name: whoever runs services logs them.
    public var description: String { "ReceiptServer" }
    /// Nothing of the configuration.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The address cannot be listened on.
public struct ListeningFailure: Error, CustomStringConvertible {
    /// A full sentence with the reason, as the system gives it, and what to do.
    public let description: String

    /// - Returns: nil for errors that are not about the address.
    init?(_ configuration: ServerConfiguration, _ error: any Error) {
        let reason: String
        switch error {
        case let error as IOError: reason = unsafe "\(String(cString: strerror(error.errnoCode)))."
        case let error as SocketAddressError.UnknownHost: reason = "\(error.errorDescription)."
        case is SocketAddressError: reason = "There is no such address."
        default: return nil
        }
        description =
            "The server cannot listen on \(configuration.host), port \(configuration.port): \(reason)"
            + " Choose another address with --host and --port."
    }
}
#endif
