#if Server
import AppReceiptKit
public import AppReceiptStore
public import CoreMetrics
import Hummingbird
import HummingbirdCore
public import Logging
import NIOPosix
public import ServiceLifecycle
public import Tracing
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
    /// The trusted roots, the served apps, and the limits.
    public let configuration: ServerConfiguration
    let service: ReceiptService
    private let generation: CurrentGeneration
    /// Exports spans; nil if the configuration names no collector.
    private let exporter: SpanExporter?
    private let logger: Logger
    private let onListening: @Sendable (_ port: Int) async -> Void

    /// Creates a server and opens its database. It listens once ``run()`` is called.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - logger: Receives messages without receipts, tokens or identifiers of customers.
    ///   - metrics: Receives the server's metrics, for example `MetricsSystem.factory`. Only a server with a
    ///     ``PrometheusRegistry`` has the route `/metrics`: other backends publish metrics themselves.
    ///   - tracer: Records the server's spans, for example `InstrumentationSystem.tracer`. Default: nil, which exports
    ///     them as ``ServerConfiguration/tracing`` says, and without that records none.
    ///   - reload: Returns the configuration again, when the process receives SIGHUP. What it throws leaves the server
    ///     as it is, and is logged as the reason. Default: nil, which doesn't reload.
    ///   - onListening: Called with the port once connections are accepted.
    /// - Throws: `StoreError` if the database can't be opened.
    public init(
        _ configuration: ServerConfiguration, logger: Logger, metrics: any MetricsFactory = PrometheusRegistry(),
        tracer: (any Tracer)? = nil, reload: (@Sendable () throws -> ServerConfiguration)? = nil,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws(StoreError) {
        self.configuration = configuration
        self.logger = logger
        self.onListening = onListening
        let metrics = ServerMetrics(metrics, version: configuration.version)
        var tracing = ServerTracing(tracer: tracer)
        if tracer == nil, let configured = configuration.tracing {
            let buffer = SpanBuffer(metrics: metrics)
            tracing.tracer = OTLPTracer(sampleRatio: configured.sampleRatio, buffer: buffer)
            exporter = SpanExporter(
                buffer: buffer, configuration: configured, document: OTLPDocument(version: configuration.version),
                metrics: metrics, logger: logger, shutdownTimeout: configuration.limits.shutdownTimeout)
        } else {
            exporter = nil
        }
        service = try ReceiptService(configuration, metrics: metrics, tracing: tracing, logger: logger)
        generation = CurrentGeneration(Generation(service), logger: logger, configuration: reload)
    }

    /// Checks the database of a configuration as a start does, and logs the same, without creating or changing a file,
    /// also while a server uses the database.
    ///
    /// - Throws: `StoreError` if the database can't be opened.
    package static func checkDatabase(of configuration: ServerConfiguration, logger: Logger) throws(StoreError) {
        try ReceiptService.checkDatabase(of: configuration, logger: logger)
    }

    /// Reloads the configuration, as on SIGHUP, without closing a connection.
    ///
    /// Requests in progress are completed under the former one. The address, the database, the limits and what is
    /// trusted only change with a restart.
    public func reload() { generation.reload() }

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
            if let exporter {
                try await exporter.exporting { try await serve(on: eventLoops) }
            } else {
                try await serve(on: eventLoops)
            }
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
            responder: generation,
            server: HTTPServerBuilder { [channelConfiguration] responder in
                EventLoopHTTPChannel(
                    channel: HTTP1Channel(responder: responder, configuration: channelConfiguration)
                ) { try $0.pipeline.syncOperations.handler(type: ConnectionDeadlineHandler.self).client }
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                availableConnectionsDelegate: MaximumAvailableConnections(raiseFileLimit())),
            services: [generation],
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

    private var channelConfiguration: HTTP1Channel.Configuration {
        let (limits, service, errors) = (configuration.limits, service, service.errorResponses)
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
                metadata: [
                    "connections": .stringConvertible(connections), "allowed": .stringConvertible(acceptable),
                ])
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
