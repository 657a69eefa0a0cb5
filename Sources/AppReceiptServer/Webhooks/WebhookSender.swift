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
            let connection = await connect(to: webhook)
            do throws(StoreError) {
                try await send(from: first, to: webhook, named: name, of: app, over: connection.map(\.transport))
            } catch {
                logger.databaseFailed(error)
            }
            try? await (try? connection.get())?.client?.shutdown()
        } catch {
            logger.databaseFailed(error)
        }
    }

    /// Sends a delivery and the due ones behind it. Without a connection, each is an attempt that failed.
    private func send(
        from first: WebhookDelivery, to webhook: WebhookConfiguration, named name: String, of app: String,
        over transport: Result<any AppStoreServerTransport, WebhookAddress.Refusal>
    ) async throws(StoreError) {
        var next = first
        for sent in 1...Self.maxDeliveries {
            let answer: Answer
            switch transport {
            case .success(let transport): answer = await send(next, to: webhook, over: transport)
            case .failure(let refusal): answer = .none(reason: "the address is refused: \(refusal)")
            }
            // An attempt that was interrupted is repeated after the lease.
            guard !Task.isCancelled else { return }
            let outcome = WebhookSchedule.outcome(status: answer.status, of: next, format: webhook.format, at: date)
            metrics.countDelivery(outcome)
            log(outcome, of: next, to: webhook, of: app, after: answer)
            try await store.finish(
                next, as: outcome, because: DeliveryFailure(date: date, reason: answer.reason))
            guard sent < Self.maxDeliveries, let another = try await takeDelivery(to: name) else { return }
            next = another
        }
    }

    private func takeDelivery(to webhook: String) async throws(StoreError) -> WebhookDelivery? {
        try await store.takeDelivery(to: webhook, at: date, leasedUntil: date + Self.lease)
    }

    private typealias Connection = (transport: any AppStoreServerTransport, client: HTTPClient?)

    /// How the receiver answered.
    private enum Answer {
        case status(Int)
        /// There was no answer.
        case none(reason: String)

        var status: Int? {
            if case .status(let status) = self { status } else { nil }
        }

        var reason: String {
            switch self {
            case .status(let status): "status \(status)"
            case .none(let reason): reason
            }
        }
    }

    /// Logs an attempt that failed, without what was sent and the address, which may contain secrets.
    private func log(
        _ outcome: DeliveryOutcome, of delivery: WebhookDelivery, to webhook: WebhookConfiguration, of app: String,
        after answer: Answer
    ) {
        let host = URL(string: webhook.url)?.host ?? ""
        let metadata: Logger.Metadata = [
            "app": "\(app)", "host": "\(host)", "event": "\(delivery.event)", "reason": "\(answer.reason)",
            "attempts": "\(delivery.attempts + 1)",
        ]
        switch outcome {
        case .delivered: break
        case .postponed:
            logger.log(
                level: delivery.attempts == 0 ? .warning : .info, "A webhook's delivery failed and is tried again",
                metadata: metadata)
        case .dead: logger.error("A webhook's delivery is given up", metadata: metadata)
        }
    }

    /// Connects to the address that was checked, unless it is refused.
    private func connect(to webhook: WebhookConfiguration) async -> Result<Connection, WebhookAddress.Refusal> {
        do throws(WebhookAddress.Refusal) {
            return .success(try await connection(to: webhook))
        } catch {
            return .failure(error)
        }
    }

    private func connection(to webhook: WebhookConfiguration) async throws(WebhookAddress.Refusal) -> Connection {
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
    /// - Returns: The first answer that isn't a success, otherwise the last one.
    private func send(
        _ delivery: WebhookDelivery, to webhook: WebhookConfiguration, over transport: any AppStoreServerTransport
    ) async -> Answer {
        var status = 204
        for message in WebhookMessage.all(of: delivery, format: webhook.format) {
            var headers = WebhookSignature.headers(
                of: message.body, identifier: message.identifier, at: date / 1000, format: webhook.format,
                secrets: webhook.secrets)
            headers["Content-Type"] = "application/json"
            let request = AppStoreServerHTTPRequest(
                method: .post, url: webhook.url, headers: headers, body: message.body, timeout: Self.timeout,
                maxResponseBytes: Self.maxResponseBytes)
            do {
                status = try await transport.send(request).status
            } catch {
                return .none(reason: Self.reason(error))
            }
            guard (200..<300).contains(status) else { break }
        }
        return .status(status)
    }

    /// Why there is no answer, in words that never contain the address.
    private static func reason(_ error: any Error) -> String {
        switch error as? AppStoreServerTransportError {
        case .hostNotFound: "host not found"
        case .connectionRefused: "connection refused"
        case .connectionClosed: "connection closed"
        case .secureConnectionFailed: "TLS failed"
        case .timedOut: "timed out"
        case .responseTooLarge: "response too large"
        case .connectionFailed, nil: "connection failed"
        }
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
