#if Server
import AppReceiptFoundation
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import AsyncHTTPClient
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Sends the events of the apps to their webhooks.
///
/// What is to be sent is in the database, so nothing is lost with the process. Each webhook has a task of its own, so a
/// slow or failing receiver doesn't delay the others. Several servers may share a database: a delivery that one of them
/// takes isn't taken by another one before its lease ends.
@available(AppReceiptServer 1.0, *)
struct WebhookSender: Service {
    let apps: [AppConfiguration]
    /// The hosts that are allowed by name.
    let allowedHosts: Set<String>
    let store: any EvidenceStore
    let metrics: ServerMetrics
    let logger: Logger
    /// Returns what sends to a host; nil for the real network.
    var transport: (@Sendable (_ host: String) -> any AppStoreServerTransport)?
    var now: @Sendable () -> Date = { Date() }

    private static let interval = Duration.seconds(1)
    private static let timeout = Duration.seconds(15)
    /// After this many, the address is checked again.
    private static let maxDeliveries = 20
    /// Longer than a delivery may take, which is at most two requests.
    private static let lease: Int64 = 60_000
    private static let maxResponseBytes = 1 << 20

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for app in apps {
                    for webhook in app.webhooks {
                        group.addTask {
                            while !Task.isCancelled {
                                await deliver(to: webhook, of: app.bundleIdentifier)
                                // Cancellation ends the loop.
                                try? await Task.sleep(for: Self.interval)
                            }
                        }
                    }
                }
            }
        }
    }

    private var date: Int64 { now().milliseconds ?? 0 }

    /// Queues what is new, and sends what is due.
    func deliver(to webhook: WebhookConfiguration, of app: String) async {
        let name = "\(app) \(webhook.url)"
        do throws(StoreError) {
            try await store.enqueueDeliveries(
                to: name, app: app, includesNotifications: webhook.forwardsNotifications, at: date)
            guard let first = try await takeDelivery(to: name) else { return }
            let connection = await connect(to: webhook, of: app)
            do throws(StoreError) {
                try await send(from: first, to: webhook, named: name, of: app, over: connection?.transport)
            } catch {
                logger.databaseFailed(error)
            }
            try? await connection?.client?.shutdown()
        } catch {
            logger.databaseFailed(error)
        }
    }

    /// Sends a delivery and the due ones behind it. Without a connection, each is an attempt that failed.
    private func send(
        from first: WebhookDelivery, to webhook: WebhookConfiguration, named name: String, of app: String,
        over transport: (any AppStoreServerTransport)?
    ) async throws(StoreError) {
        var next = first
        for sent in 1...Self.maxDeliveries {
            var status: Int?
            if let transport { status = await send(next, to: webhook, over: transport) }
            // An attempt that was interrupted is repeated after the lease.
            guard !Task.isCancelled else { return }
            let outcome = WebhookSchedule.outcome(status: status, of: next, format: webhook.format, at: date)
            metrics.countDelivery(outcome)
            if outcome == .dead {
                logger.error("A webhook's delivery is given up", metadata: ["app": "\(app)"])
            }
            try await store.finish(next, as: outcome)
            guard sent < Self.maxDeliveries, let another = try await takeDelivery(to: name) else { return }
            next = another
        }
    }

    private func takeDelivery(to webhook: String) async throws(StoreError) -> WebhookDelivery? {
        try await store.takeDelivery(to: webhook, at: date, leasedUntil: date + Self.lease)
    }

    private typealias Connection = (transport: any AppStoreServerTransport, client: HTTPClient?)

    /// Connects to the address that was checked; nil if it is refused.
    private func connect(to webhook: WebhookConfiguration, of app: String) async -> Connection? {
        do throws(WebhookAddress.Refusal) {
            return try await connect(to: webhook)
        } catch {
            logger.warning("A webhook's address is refused", metadata: ["app": "\(app)", "reason": "\(error)"])
            return nil
        }
    }

    private func connect(to webhook: WebhookConfiguration) async throws(WebhookAddress.Refusal) -> Connection {
        let host = try WebhookAddress.host(of: webhook.url, allowed: allowedHosts)
        if let transport { return (transport(host), nil) }
        let resolved = try? await NIOThreadPool.singleton.runIfActive { [allowedHosts] in
            Result { () throws(WebhookAddress.Refusal) in try WebhookAddress.resolve(host, allowed: allowedHosts) }
        }
        guard let resolved else { throw .unresolved }
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: .seconds(10), read: .seconds(15)))
        configuration.dnsOverride = [try WebhookAddress.clientHost(of: webhook.url, checked: host): try resolved.get()]
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        return (AppStoreServerClient.AsyncHTTPClientTransport(client: client), client)
    }

    /// Sends a delivery, which may be several requests.
    ///
    /// - Returns: The status of the first answer that isn't a success, otherwise that of the last one; nil without an
    ///   answer.
    private func send(
        _ delivery: WebhookDelivery, to webhook: WebhookConfiguration, over transport: any AppStoreServerTransport
    ) async -> Int? {
        var status: Int? = 204
        for message in WebhookMessage.all(of: delivery, format: webhook.format) {
            var headers = WebhookSignature.headers(
                of: message.body, identifier: message.identifier, at: date / 1000, format: webhook.format,
                secrets: webhook.secrets)
            headers["Content-Type"] = "application/json"
            let request = AppStoreServerHTTPRequest(
                method: .post, url: webhook.url, headers: headers, body: message.body, timeout: Self.timeout,
                maxResponseBytes: Self.maxResponseBytes)
            status = (try? await transport.send(request))?.status
            guard let status, (200..<300).contains(status) else { return status }
        }
        return status
    }
}

/// What a delivery sends.
struct WebhookMessage: Sendable {
    /// What identifies it, the same for every attempt.
    let identifier: String
    let body: [UInt8]

    /// The messages of a delivery; none if the format has no name for the event.
    static func all(of delivery: WebhookDelivery, format: WebhookConfiguration.Format) -> [WebhookMessage] {
        switch (delivery.content, format) {
        case (.notification(_, let body), _):
            return [WebhookMessage(identifier: "ntf_\(delivery.event)", body: body)]
        case (.event(let event), .standard):
            var writer = JSONWriter()
            writer.openObject()
            event.write(to: &writer)
            writer.closeObject()
            return [WebhookMessage(identifier: "evt_\(event.cursor)", body: writer.bytes)]
        case (.event(let event), .openIAP):
            // The same body for every attempt.
            return OpenIAPEvent.all(of: event).map {
                WebhookMessage(identifier: $0.identifier, body: $0.body(processed: delivery.firstDue))
            }
        }
    }
}
#endif
