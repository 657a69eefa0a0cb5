#if Server
import AppReceiptKit
public import AppReceiptStore
public import CoreMetrics
import Hummingbird
import HummingbirdCore
public import Logging
import NIOPosix
public import ServiceLifecycle
import UnixSignals

/// A server for Apple's verifyReceipt contract, a JSON API for receipts and signed data, server notifications, and the
/// web inspector.
///
/// ```swift
/// var configuration = ServerConfiguration()
/// configuration.bundleIdentifiers = ["com.example.app"]
/// try await ReceiptServer(configuration, logger: Logger(label: "receipts")).runService()
/// ```
///
/// The server speaks HTTP/1.1 without encryption, so run it behind a reverse proxy or on loopback.
///
/// Connections are read and written on event loops, one for each core, which also verify small requests. All others
/// are verified on a separate pool of threads, which also reads the database, so that expensive requests delay neither
/// reading others nor `/healthz`. On macOS 14 and iOS 17, which have no task executors, all of this runs on Swift's
/// default executor.
@available(AppReceiptServer 1.0, *)
public struct ReceiptServer: Service {
    /// What the server trusts, which apps it serves, and its limits.
    public let configuration: ServerConfiguration
    let service: ReceiptService
    private let logger: Logger
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// Creates a server and opens its database. It listens once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - logger: Receives messages without receipts, tokens or identifiers of customers.
    ///   - metrics: Receives the server's metrics, for example `MetricsSystem.factory`. Only a server with a
    ///     ``PrometheusRegistry`` has the route `/metrics`: other backends publish metrics themselves.
    ///   - onListening: Called with the port once connections are accepted.
    /// - Throws: `StoreError` if the database can't be opened.
    public init(
        _ configuration: ServerConfiguration, logger: Logger, metrics: any MetricsFactory = PrometheusRegistry(),
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws(StoreError) {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        service = try ReceiptService(
            configuration, metrics: ServerMetrics(metrics, version: configuration.version), logger: logger)
    }

    /// Creates the router: the middleware and routes of every request.
    func makeRouter() -> Router<ServerContext> {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: RequestMiddleware(
                observer: RequestObserver(metrics: service.metrics),
                crossOriginProtection: CrossOriginProtection(allowedHosts: configuration.allowedHosts),
                errors: errorResponses))

        VerifyReceiptRoutes(service: service).addRoutes(to: router.group())

        let api = router.group("/v1")
        // The App Store has no token of this server. Notifications are signed instead.
        NotificationRoutes(service: service).addRoutes(to: api)
        func group(for permission: AccessToken.Role.Permission) -> RouterGroup<ServerContext> {
            api.group().add(middleware: Authentication(tokens: configuration.tokens, permission: permission))
        }
        let (validation, reading) = (group(for: .validation), group(for: .reading))
        ReceiptRoutes(service: service).addRoutes(to: validation)
        SignedDataRoutes(service: service).addRoutes(to: validation)
        let accounts = AccountRoutes(service: service)
        accounts.addEvidence(to: validation)
        accounts.addReading(to: reading)
        accounts.addAdministration(to: group(for: .administration))
        PurchaseRoutes(service: service).addRoutes(to: reading)
        OrderRoutes(service: service).addRoutes(to: reading)
        EventRoutes(service: service).addRoutes(to: reading)

        OperationRoutes(service: service).addRoutes(to: router.group())
        if configuration.servesInspector {
            let inspector = InspectorRoutes(service: service)
            inspector.addRoutes(to: group(for: .page))
            inspector.addPage(to: router.group())
        }
        router.add(middleware: MethodNotAllowed(router.routes))
        return router
    }

    /// Serves until the process receives SIGTERM or SIGINT, and then completes requests in flight, within the limits.
    ///
    /// - Throws: ``ListeningFailure``, or the error that stopped the server.
    public func runService() async throws {
        var group = ServiceGroupConfiguration(
            services: [
                .init(
                    service: self, successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = configuration.limits.shutdownTimeout
        try await ServiceGroup(configuration: group).run()
    }

    /// Serves until a graceful shutdown or cancellation, and then completes requests in flight and closes the database.
    ///
    /// - Throws: ``ListeningFailure``, or the error that stopped the server.
    public func run() async throws {
        let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: ProcessorCount.available)
        do {
            try await serve(on: eventLoops)
        } catch {
            try? await eventLoops.shutdownGracefully()
            throw error
        }
        try? await eventLoops.shutdownGracefully()
        logger.info("Stopped")
    }

    private func serve(on eventLoops: MultiThreadedEventLoopGroup) async throws {
        HeapTrimming.raiseThreshold()
        let onListening = onListening
        let application = Application(
            router: makeRouter(),
            server: HTTPServerBuilder { [channelConfiguration] responder in
                EventLoopHTTPChannel(channel: HTTP1Channel(responder: responder, configuration: channelConfiguration))
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(raiseFileLimit())),
            services: backgroundServices,
            onServerRunning: { await onListening($0.localAddress?.port ?? 0) },
            eventLoopGroupProvider: .shared(eventLoops),
            logger: logger)
        do {
            try await withGracefulShutdownHandler {
                try await application.run()
            } onGracefulShutdown: { [logger] in
                logger.info("Stopping: requests in progress are completed")
            }
        } catch {
            try? await service.store.close()
            throw ListeningFailure(error, listeningAs: configuration) ?? error
        }
        try await service.store.close()
    }

    /// What runs beside the requests.
    private var backgroundServices: [any Service] {
        var services: [any Service] = []
        if service.metrics.prometheus == nil {
            services.append(StateRecorder(store: service.store, metrics: service.metrics, logger: logger))
        }
        services.append(DueEventRecorder(store: service.store, logger: logger))
        if let completion = service.completion { services.append(completion) }
        if let catchUp = service.catchUp { services.append(catchUp) }
        return services
    }

    private var errorResponses: ErrorResponses {
        ErrorResponses(limits: configuration.limits, metrics: service.metrics)
    }

    private var channelConfiguration: HTTP1Channel.Configuration {
        let (limits, service, errors) = (configuration.limits, service, errorResponses)
        return HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ConnectionDeadlineHandler(admission: service.admission, metrics: service.metrics) {
                    errors.overloadResponse(path: $0)
                }
            ],
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: limits.maxHeaderBytes, maxHeaderListSize: limits.maxHeaderBytes,
                maxHeaderFieldCount: 100)
        )
    }

    /// Raises the limit of open files to twice the number of connections that are served, because those beyond get a
    /// response too.
    ///
    /// - Returns: The number of connections to accept.
    private func raiseFileLimit() -> Int {
        let connections = configuration.limits.maxConnections
        let acceptable = FileLimit.raise(forConnections: 2 * connections)
        if acceptable < connections {
            logger.warning(
                "The system's limit of open files is lower than the server's limit of connections",
                metadata: ["connections": "\(connections)", "allowed": "\(acceptable)"])
        }
        return acceptable
    }
}

@available(AppReceiptServer 1.0, *)
extension ReceiptServer: CustomStringConvertible, CustomReflectable {
    /// The name of the type, because service groups log their services.
    public var description: String { "ReceiptServer" }
    /// A mirror without children: the configuration contains secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
