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
/// slow or failing receiver doesn't delay the others. Deliveries about one purchase are sent one after another, those
/// of several purchases at the same time, in batches that don't wait for each other. Several servers may share a
/// database: a delivery that one of them takes isn't taken by another one before its lease ends.
@available(AppReceiptServer 1.0, *)
struct WebhookSender: Service {
    let apps: [AppConfiguration]
    /// The hosts that are allowed by name.
    let allowedHosts: Set<String>
    let store: any EvidenceStore
    let metrics: ServerMetrics
    let databaseFailures: DatabaseFailureLog
    var tracing = ServerTracing()
    let logger: Logger
    /// Returns what sends to a host; nil for the real network.
    var transport: (@Sendable (_ host: String) -> any AppStoreServerTransport)?
    var now: @Sendable () -> Date = { Date() }
    private let failures = RepetitionLog<Failure>()

    private static let interval = Duration.seconds(1)
    private static let timeout = Duration.seconds(15)
    /// After this many, the address is checked again.
    private static let maxDeliveries = 64
    /// The number of batches that a webhook is sent at the same time.
    private static let maxBatches = 4
    /// The number of purchases about which a batch sends something at the same time.
    private static let maxConcurrent = 2
    /// Long enough for a delivery that begins when ``startPeriod`` ends, which takes at most two requests.
    private static let lease: Int64 = 60_000
    /// The time in which the deliveries that were taken begin. The rest is given back.
    private static let startPeriod: Int64 = 29_000
    private static let maxResponseBytes = 1 << 20

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await storeConfiguration()
            await withDiscardingTaskGroup { group in
                for app in apps {
                    for webhook in app.webhooks {
                        group.addTask { await deliverBatches(to: webhook, of: app.bundleIdentifier) }
                    }
                }
            }
        }
    }

    /// Begins a batch every second, and when one ends that left more: a receiver that is slow with one purchase only
    /// delays what was due together.
    private func deliverBatches(to webhook: WebhookConfiguration, of app: String) async {
        enum Turn: Sendable {
            case second
            case batch(mayHaveMore: Bool)
        }
        let purchases = PurchasesInDelivery()
        await withTaskGroup(of: Turn.self) { group in
            var batches = 0
            func begin() {
                guard batches < Self.maxBatches, !Task.isCancelled else { return }
                batches += 1
                group.addTask { .batch(mayHaveMore: await deliver(to: webhook, of: app, besides: purchases)) }
            }
            func wait() {
                group.addTask {
                    // Cancellation ends the loop.
                    try? await Task.sleep(for: Self.interval)
                    return .second
                }
            }
            begin()
            wait()
            for await turn in group {
                switch turn {
                case .second:
                    guard !Task.isCancelled else { continue }
                    begin()
                    wait()
                case .batch(let mayHaveMore):
                    batches -= 1
                    if mayHaveMore { begin() }
                }
            }
        }
    }

    private var date: Int64 { now().milliseconds ?? 0 }

    /// Stores which webhooks are configured, and logs what waits for others.
    func storeConfiguration() async {
        let names = apps.flatMap { app in
            app.webhooks.map { WebhookName(app: app.bundleIdentifier, url: $0.url).text }
        }
        do throws(StoreError) {
            try await store.setWebhooks(Set(names), at: date)
            for status in try await store.webhooks() where status.removed != nil && status.waiting > 0 {
                let name = WebhookName(parsing: status.webhook)
                logger.warning(
                    "Deliveries wait for a webhook that isn't configured any more",
                    metadata: Self.metadata(of: name).merging(["deliveries": .stringConvertible(status.waiting)]) {
                        $1
                    })
            }
        } catch {
            databaseFailures.log(error, logger: logger)
        }
    }

    /// Queues what is new, and sends what is due.
    ///
    /// - Parameters:
    ///   - webhook: The receiver.
    ///   - app: The app.
    ///   - purchases: The purchases about which other batches send something. What is due about them is given back.
    /// - Returns: Whether more may be due.
    @discardableResult
    func deliver(
        to webhook: WebhookConfiguration, of app: String, besides purchases: PurchasesInDelivery = PurchasesInDelivery()
    ) async -> Bool {
        let name = WebhookName(app: app, url: webhook.url)
        do throws(StoreError) {
            let start = date
            try await store.enqueueDeliveries(
                to: name.text, app: app, includesNotifications: webhook.forwardsNotifications, at: start)
            let taken = try await store.takeDeliveries(
                to: name.text, at: start, leasedUntil: start + Self.lease, limit: Self.maxDeliveries)
            let (deliveries, others) = purchases.begin(taken)
            defer { purchases.end(deliveries) }
            try await store.release(others)
            guard !deliveries.isEmpty else { return false }
            let connection = await connect(to: webhook)
            let receiver = Receiver(
                webhook: webhook, name: name,
                transport: connection.map { tracing.traced($0.transport) { _ in "webhook" } },
                lastStart: start + Self.startPeriod)
            let untried = await send(deliveries, to: receiver)
            try? await (try? connection.get())?.client?.shutdown()
            try await store.release(untried)
            return taken.count == Self.maxDeliveries
        } catch {
            databaseFailures.log(error, logger: logger)
            return false
        }
    }

    /// The receiver of some deliveries.
    private struct Receiver: Sendable {
        let webhook: WebhookConfiguration
        let name: WebhookName
        let transport: Result<any AppStoreServerTransport, WebhookAddress.Refusal>
        /// Until when an attempt may begin.
        let lastStart: Int64
    }

    /// Sends deliveries, those about one purchase in order.
    ///
    /// - Returns: What wasn't tried.
    private func send(_ deliveries: [WebhookDelivery], to receiver: Receiver) async -> [WebhookDelivery] {
        let purchases = Dictionary(grouping: deliveries) { $0.original }
        return await withTaskGroup(of: [WebhookDelivery].self) { group in
            var waiting = Self.unique(deliveries.map(\.original))[...]
            func sendNext() {
                guard let original = waiting.popFirst(), let next = purchases[original] else { return }
                group.addTask { await sendInOrder(next, to: receiver) }
            }
            for _ in 0..<Self.maxConcurrent { sendNext() }
            var untried: [WebhookDelivery] = []
            for await rest in group {
                untried += rest
                sendNext()
            }
            return untried
        }
    }

    private static func unique(_ originals: [String?]) -> [String?] {
        var known: Set<String?> = []
        return originals.filter { known.insert($0).inserted }
    }

    /// Sends deliveries one after another. Without a connection, each is an attempt that failed.
    ///
    /// - Returns: What wasn't tried, because the task was canceled or the time is over.
    private func sendInOrder(_ deliveries: [WebhookDelivery], to receiver: Receiver) async -> [WebhookDelivery] {
        for (index, delivery) in deliveries.enumerated() {
            guard !Task.isCancelled, date <= receiver.lastStart else { return Array(deliveries[index...]) }
            let answer: Answer
            switch receiver.transport {
            case .success(let transport): answer = await send(delivery, to: receiver.webhook, over: transport)
            case .failure(let refusal): answer = .unsent(reason: refusal.reason)
            }
            // An attempt that was interrupted is repeated after the lease.
            guard !Task.isCancelled else { return Array(deliveries[(index + 1)...]) }
            let outcome = WebhookSchedule.outcome(
                status: answer.status, of: delivery, format: receiver.webhook.format, at: date)
            metrics.countDelivery(outcome)
            log(outcome, of: delivery, to: receiver.name, after: answer)
            do throws(StoreError) {
                try await store.finish(
                    delivery, as: outcome, because: DeliveryFailure(date: date, reason: answer.reason))
            } catch {
                // It is sent again after the lease.
                databaseFailures.log(error, logger: logger)
            }
        }
        return []
    }

    private typealias Connection = (transport: any AppStoreServerTransport, client: HTTPClient?)

    /// The receiver's answer.
    private enum Answer {
        case status(Int)
        /// There was no answer.
        case unsent(reason: String)

        var status: Int? {
            if case .status(let status) = self { status } else { nil }
        }

        var reason: String {
            switch self {
            case .status(let status): "status \(status)"
            case .unsent(let reason): reason
            }
        }
    }

    /// A failure that is logged once a minute.
    private struct Failure: Hashable {
        let webhook: WebhookName
        let level: Logger.Level
        let reason: String
    }

    /// Logs an attempt that failed, without what was sent and the address, which may contain secrets.
    private func log(
        _ outcome: DeliveryOutcome, of delivery: WebhookDelivery, to webhook: WebhookName, after answer: Answer
    ) {
        let level: Logger.Level
        let message: Logger.Message
        switch outcome {
        case .delivered: return
        case .postponed:
            level = delivery.attempts == 0 ? .warning : .info
            message = "A webhook's delivery failed and is tried again"
        case .dead:
            level = .error
            message = "A webhook's delivery is given up"
        }
        let failure = Failure(webhook: webhook, level: level, reason: answer.reason)
        var metadata = Self.metadata(of: webhook)
        metadata["event"] = .stringConvertible(delivery.event)
        metadata["reason"] = "\(answer.reason)"
        metadata["attempts"] = .stringConvertible(delivery.attempts + 1)
        failures.log(failure, level: level, message: message, metadata: metadata, logger: logger)
    }

    /// Returns the log's metadata that identifies a webhook. Its path and query may be secret.
    private static func metadata(of webhook: WebhookName) -> Logger.Metadata {
        [
            "app": "\(webhook.app)", "webhook": "\(webhook.fingerprint)",
            "host": "\(URL(string: webhook.url)?.host ?? "")",
        ]
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
                return .unsent(reason: (error as? AppStoreServerTransportError)?.reason ?? "connection failed")
            }
            guard (200..<300).contains(status) else { break }
        }
        return .status(status)
    }
}
#endif
