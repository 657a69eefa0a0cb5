#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

/// The service of requests under one configuration. A reload replaces it as a whole.
@available(AppReceiptServer 1.0, *)
struct Generation: Sendable {
    let configuration: ServerConfiguration
    let service: ReceiptService
    let responder: RouterResponder<ServerContext>

    init(_ service: ReceiptService) {
        configuration = service.configuration
        self.service = service
        responder = service.makeRouter().buildResponder()
    }

    /// Runs what runs beside the requests, until it is canceled.
    func runServices(logger: Logger) async {
        await withDiscardingTaskGroup { group in
            for service in services(logger: logger) {
                group.addTask {
                    do {
                        try await service.run()
                    } catch {
                        logger.error("A background task failed", metadata: ["type": "\(type(of: error))"])
                    }
                }
            }
        }
    }

    private func services(logger: Logger) -> [any Service] {
        var services: [any Service] = [
            DueEventRecorder(store: service.store, databaseFailures: service.databaseFailures, logger: logger)
        ]
        if service.metrics.prometheus == nil {
            services.append(
                StateRecorder(
                    store: service.store, metrics: service.metrics, databaseFailures: service.databaseFailures,
                    logger: logger))
        }
        // Also without webhooks: deliveries may wait for one that was configured before.
        services.append(
            WebhookSender(
                apps: configuration.apps, allowedHosts: configuration.allowedWebhookHosts, store: service.store,
                metrics: service.metrics, databaseFailures: service.databaseFailures, tracing: service.tracing,
                logger: logger))
        if let completion = service.completion { services.append(completion) }
        if let catchUp = service.catchUp { services.append(catchUp) }
        return services
    }
}

/// The current generation. Requests in progress are completed by the one that received them.
@available(AppReceiptServer 1.0, *)
final class CurrentGeneration: HTTPResponder, Service {
    typealias Context = ServerContext

    private let current: LockedValueBox<Generation>
    private let changes: AsyncStream<Generation>
    private let changed: AsyncStream<Generation>.Continuation
    private let logger: Logger
    /// Returns the new configuration; nil if the server can't reload.
    private let configuration: (@Sendable () throws -> ServerConfiguration)?

    init(
        _ first: Generation, logger: Logger, configuration: (@Sendable () throws -> ServerConfiguration)?
    ) {
        current = LockedValueBox(first)
        (changes, changed) = AsyncStream.makeStream()
        self.logger = logger
        self.configuration = configuration
        changed.yield(first)
    }

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        try await current.withLock(\.responder).respond(to: request, context: context)
    }

    /// Replaces the generation by one of the new configuration. A configuration that can't be read changes nothing.
    func reload() {
        guard let configuration else { return }
        let reloaded: ServerConfiguration
        do {
            reloaded = try configuration()
        } catch {
            current.withLock(\.service.metrics).recordReload(succeeded: false)
            logger.error(
                "The configuration wasn't reloaded, because it is invalid; the former one stays",
                metadata: ["reason": "\(error)"])
            return
        }
        let generation = current.withLock { current in
            let (merged, kept) = reloaded.keepingFixedSettings(of: current.configuration)
            if !kept.isEmpty {
                logger.warning(
                    "Some settings need a restart", metadata: ["settings": "\(kept.joined(separator: ", "))"])
            }
            current = Generation(ReceiptService(merged, replacing: current.service, logger: logger))
            return current
        }
        changed.yield(generation)
        generation.service.metrics.recordReload(succeeded: true)
        let apps = generation.configuration.apps
        logger.notice(
            "The configuration was reloaded",
            metadata: [
                "apps": .stringConvertible(apps.count),
                "tokens": .stringConvertible(generation.configuration.tokens.count),
                "webhooks": .stringConvertible(apps.reduce(0) { $0 + $1.webhooks.count }),
            ])
    }

    /// Runs what runs beside the requests, for each generation in turn, and reloads on SIGHUP.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                if self.configuration != nil {
                    group.addTask {
                        for await _ in await UnixSignalsSequence(trapping: .sighup) { self.reload() }
                    }
                }
                await self.runServices()
                group.cancelAll()
            }
        }
    }

    private func runServices() async {
        var running: Task<Void, Never>?
        for await generation in changes {
            running?.cancel()
            await running?.value
            running = Task { [logger] in await generation.runServices(logger: logger) }
        }
        running?.cancel()
        await running?.value
    }
}

@available(AppReceiptServer 1.0, *)
extension ServerConfiguration {
    /// Returns the configuration with what only a restart can change as it is, and the names of what differs.
    fileprivate func keepingFixedSettings(of current: ServerConfiguration) -> (ServerConfiguration, [String]) {
        var merged = self
        var kept: [String] = []
        func keep<Value: Equatable>(_ name: String, _ path: WritableKeyPath<ServerConfiguration, Value>) {
            if merged[keyPath: path] != current[keyPath: path] { kept.append(name) }
            merged[keyPath: path] = current[keyPath: path]
        }
        keep("host", \.host)
        keep("port", \.port)
        keep("database", \.database)
        keep("hash-accounts", \.hashesAccounts)
        keep("limits", \.limits)
        keep(tracing?.endpoint == current.tracing?.endpoint ? "trace-sample" : "otlp-endpoint", \.tracing)
        if anchors.certificates != current.anchors.certificates { kept.append("root") }
        merged.anchors = current.anchors
        keep("trust-xcode", \.xcode)
        keep("transaction-intermediate", \.transactionReceipts)
        return (merged, kept)
    }
}
#endif
