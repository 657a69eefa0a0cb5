#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import CoreMetrics
import AppReceiptSupport
import VerifyReceipt

/// A part of an exchange that the client must complete before a deadline. The raw values are labels of a metric.
enum ConnectionPhase: String, CaseIterable, Sendable {
    /// Sending the head of a request.
    case head
    /// Sending the body of a request.
    case body
    /// Receiving a response.
    case response
}

/// How a notification was answered. The raw values are labels of a metric.
enum NotificationOutcome: String, CaseIterable, Sendable {
    case new
    /// About something that isn't known yet.
    case unknown
    case repeated
    case rejected
    /// Xcode's, of an unknown environment, or about a forgotten purchase.
    case notStored = "not-stored"
}

/// Why a span isn't exported. The raw values are labels of a metric.
enum SpanDropReason: String, CaseIterable, Sendable {
    /// More spans ended than could be exported.
    case bufferFull = "buffer-full"
    /// The collector can't be reached, or rejects the span.
    case exportFailed = "export-failed"
}

/// The metrics of a server. No label contains parts of a receipt, a token or an account, except for the identifier of
/// an app.
final class ServerMetrics: Sendable {
    let factory: any MetricsFactory
    /// Counters and timers by their name and labels. A lookup in the factory takes longer than everything else that is
    /// counted for a request: budget, verifyReceipt.
    private let counters = LockedValueBox<[SeriesKey: Counter]>([:])
    private let timers = LockedValueBox<[String: Timer]>([:])
    private let gauges: [OverloadError.Resource: Gauge]
    /// The newest date that Apple signed and that was ahead of the clock; nil if none was.
    private let newestSignedDate = LockedValueBox<Date?>(nil)
    /// The processor time that was recorded last, in seconds.
    private let processorSeconds = LockedValueBox(0.0)

    private struct SeriesKey: Hashable {
        let name: String
        let labels: [String]
    }

    /// - Parameters:
    ///   - factory: Creates the metrics.
    ///   - version: The version of the program, for a label.
    init(_ factory: any MetricsFactory, version: String = "unknown") {
        self.factory = factory
        gauges = [
            .connections: Gauge(label: "appreceipt_connections", factory: factory),
            .requests: Gauge(label: "appreceipt_requests_in_progress", factory: factory),
            .waiting: Gauge(label: "appreceipt_waiting_requests", factory: factory),
            .lookups: Gauge(label: "appreceipt_app_store_lookups", factory: factory),
            .memory: Gauge(label: "appreceipt_body_bytes", factory: factory),
        ]
        Gauge(label: "appreceipt_build_info", dimensions: [("version", version)], factory: factory).record(1)
        Gauge(label: "process_start_time_seconds", factory: factory).record(Date().timeIntervalSince1970)
        for (label, help) in Self.help { prometheus?.setHelp(help, for: label) }
        // Created here, so that they are 0 before the first event.
        for resource in OverloadError.Resource.allCases { _ = overloads(of: resource) }
        for phase in ConnectionPhase.allCases { _ = exceededDeadlines(in: phase) }
        _ = verifyReceiptResponses(status: 0, code: nil)
        _ = verdicts(kind: "receipt", code: nil)
        _ = counter("appreceipt_replays_total")
        for outcome in NotificationOutcome.allCases { _ = notifications(outcome: outcome) }
        for code in StoreError.Code.allCases where code != .canceled { _ = databaseFailures(code: code) }
        for outcome in Self.appStoreOutcomes { _ = appStoreRequests(outcome: outcome) }
        _ = counter("appreceipt_caught_up_rejected_total")
        for outcome in ["delivered", "postponed", "dead"] { _ = deliveries(outcome: outcome) }
        recordClockBehind(at: Date())
        recordReload(succeeded: true)
    }

    /// The registry that `/metrics` returns. Nil if the factory isn't a ``PrometheusRegistry``.
    var prometheus: PrometheusRegistry? { factory as? PrometheusRegistry }

    private func counter(_ name: String, labels: KeyValuePairs<String, String> = [:]) -> Counter {
        counters.withLock { counters in
            let key = SeriesKey(name: name, labels: labels.map(\.value))
            if let counter = counters[key] { return counter }
            let counter = Counter(label: name, dimensions: labels.map { ($0.key, $0.value) }, factory: factory)
            counters[key] = counter
            return counter
        }
    }

    private static let help = [
        ("appreceipt_connections", "Connections that are being served."),
        ("appreceipt_requests_in_progress", "Requests that are being verified or waiting for a thread."),
        ("appreceipt_waiting_requests", "Requests that wait for an event."),
        ("appreceipt_app_store_lookups", "Requests that wait for the App Store about an unknown identifier."),
        ("appreceipt_body_bytes", "Memory reserved for request bodies and long responses, in bytes."),
        ("appreceipt_overload_total", "Requests and connections rejected because a limit was reached."),
        ("appreceipt_exceeded_deadlines_total", "Connections closed because the client exceeded a deadline."),
        ("appreceipt_replays_total", "Purchases submitted by an account that doesn't own them."),
        ("appreceipt_webhook_deliveries_total", "Attempts to deliver to webhooks."),
        ("appreceipt_webhook_queue", "Deliveries to the webhooks of an app that wait, or that were given up."),
        ("appreceipt_last_reload_successful", "1 if the last configuration is valid, 0 if the former one stays."),
        ("appreceipt_last_reload_timestamp_seconds", "The time of the last valid configuration, in Unix seconds."),
        ("appreceipt_clock_behind_seconds", "How far the clock is behind the newest date that Apple signed."),
        ("appreceipt_http_requests_total", "Requests by route, method and status."),
        ("appreceipt_http_request_seconds", "Time from the head of a request to its response."),
        ("appreceipt_verify_receipt_responses_total", "Responses of verifyReceipt by status and code."),
        ("appreceipt_verdicts_total", "Verified receipts and signed data by code, or valid."),
        ("appreceipt_notifications_total", "Notifications by outcome."),
        ("appreceipt_notification_types_total", "Accepted notifications by type."),
        (
            "appreceipt_last_notification_timestamp_seconds",
            "The time of the last accepted notification, in Unix seconds."
        ),
        ("appreceipt_build_info", "The version, as a label. The value is 1."),
        ("process_start_time_seconds", "The time the server was created, in Unix seconds."),
        ("process_cpu_seconds_total", "Processor time of the process, in seconds."),
        ("process_resident_memory_bytes", "Memory of the process, in bytes."),
        ("process_open_fds", "Open files and connections of the process."),
        ("appreceipt_state", "Rows in the database."),
        ("appreceipt_database_failures_total", "Failures of the database by code."),
        ("appreceipt_spans_exported_total", "Spans of traces that the collector has."),
        ("appreceipt_spans_dropped_total", "Spans of traces that were dropped."),
        ("appreceipt_app_store_requests_total", "Requests to the App Store about a customer, by outcome."),
        (
            "appreceipt_app_store_last_response_timestamp_seconds",
            "The time of the App Store's last complete response, in Unix seconds."
        ),
        ("appreceipt_app_store_queue", "Original transactions that wait for a request to the App Store."),
        ("appreceipt_caught_up_notifications_total", "New notifications that were read from the App Store's history."),
        (
            "appreceipt_caught_up_rejected_total",
            "Notifications in the App Store's history that didn't verify or couldn't be read, and aren't read again."
        ),
        (
            "appreceipt_caught_up_timestamp_seconds",
            "The time up to which the notification history was read, in Unix seconds; 0 if it never was."
        ),
    ]

    // MARK: Connections and requests

    /// Records how much of a resource is in use.
    func record(_ amount: Int, of resource: OverloadError.Resource) { gauges[resource]?.record(amount) }

    /// Counts a rejection.
    func countOverload(of resource: OverloadError.Resource) { overloads(of: resource).increment() }

    private func overloads(of resource: OverloadError.Resource) -> Counter {
        counter("appreceipt_overload_total", labels: ["reason": resource.rawValue])
    }

    /// Counts a connection that was closed because the client was slow.
    func countExceededDeadline(in phase: ConnectionPhase) { exceededDeadlines(in: phase).increment() }

    private func exceededDeadlines(in phase: ConnectionPhase) -> Counter {
        counter("appreceipt_exceeded_deadlines_total", labels: ["phase": phase.rawValue])
    }

    /// Counts a request and its duration.
    func countRequest(route: String, method: String, status: Int, nanoseconds: Int64) {
        counter(
            "appreceipt_http_requests_total", labels: ["route": route, "method": method, "status": String(status)]
        ).increment()
        let timer = timers.withLock { timers in
            if let timer = timers[route] { return timer }
            let timer = Timer(
                label: "appreceipt_http_request_seconds", dimensions: [("route", route)], factory: factory)
            timers[route] = timer
            return timer
        }
        timer.recordNanoseconds(nanoseconds)
    }

    // MARK: Results

    /// Counts a response of verifyReceipt.
    func count(_ response: VerifyReceiptResponse) {
        let code = response.status == .historyUnavailable ? "state-unavailable" : response.failure?.code.rawValue
        countVerifyReceiptResponse(status: response.status.rawValue, code: code)
    }

    /// Counts a response of verifyReceipt by its status and code; nil for a valid receipt.
    func countVerifyReceiptResponse(status: Int, code: String?) {
        verifyReceiptResponses(status: status, code: code).increment()
    }

    private func verifyReceiptResponses(status: Int, code: String?) -> Counter {
        counter(
            "appreceipt_verify_receipt_responses_total", labels: ["status": String(status), "code": code ?? "valid"])
    }

    /// Counts a verification of `/v1`; the code is nil if the data is valid.
    func countVerdict(kind: String, code: String?) { verdicts(kind: kind, code: code).increment() }

    private func verdicts(kind: String, code: String?) -> Counter {
        counter("appreceipt_verdicts_total", labels: ["kind": kind, "code": code ?? "valid"])
    }

    /// Counts a notification that wasn't accepted.
    func countRejectedNotification() {
        notifications(outcome: .rejected).increment()
    }

    /// Counts an accepted notification, by outcome and by type, and records the time.
    ///
    /// Only signed types become labels, so clients can't invent any.
    func countNotification(_ outcome: NotificationOutcome, type: String) {
        notifications(outcome: outcome).increment()
        counter("appreceipt_notification_types_total", labels: ["type": type]).increment()
        Gauge(label: "appreceipt_last_notification_timestamp_seconds", factory: factory)
            .record(Date().timeIntervalSince1970)
    }

    private func notifications(outcome: NotificationOutcome) -> Counter {
        counter("appreceipt_notifications_total", labels: ["outcome": outcome.rawValue])
    }

    /// Counts purchases submitted by an account that doesn't own them.
    func countReplays(_ count: Int) { counter("appreceipt_replays_total").increment(by: count) }

    /// Records a date that Apple signed. The clock counts as behind if the date is ahead of it by more than a minute:
    /// Apple's clocks aren't equal either.
    ///
    /// - Parameters:
    ///   - signedDate: The newest date of the evidence.
    ///   - now: The clock.
    /// - Returns: By how many seconds the clock is behind, the first time; otherwise nil.
    func recordClock(_ now: Date, behind signedDate: Date) -> Double? {
        let seconds = signedDate.timeIntervalSince(now)
        guard seconds > 60 else { return nil }
        return newestSignedDate.withLock { newest in
            defer { newest = max(newest ?? signedDate, signedDate) }
            return newest == nil ? seconds : nil
        }
    }

    /// Records how far the clock is behind the newest date that ever was ahead of it; 0 once it has passed that date.
    func recordClockBehind(at now: Date) {
        let newest = newestSignedDate.withLock(\.self)
        let seconds = newest?.timeIntervalSince(now) ?? 0
        Gauge(label: "appreceipt_clock_behind_seconds", factory: factory).record(max(seconds, 0))
    }

    /// Records whether the last reload of the configuration succeeded.
    func recordReload(succeeded: Bool) {
        Gauge(label: "appreceipt_last_reload_successful", factory: factory).record(succeeded ? 1 : 0)
        guard succeeded else { return }
        Gauge(label: "appreceipt_last_reload_timestamp_seconds", factory: factory)
            .record(Date().timeIntervalSince1970)
    }

    /// Counts an attempt to deliver to a webhook.
    func countDelivery(_ outcome: DeliveryOutcome) {
        let label =
            switch outcome {
            case .delivered: "delivered"
            case .postponed: "postponed"
            case .dead: "dead"
            }
        deliveries(outcome: label).increment()
    }

    private func deliveries(outcome: String) -> Counter {
        counter("appreceipt_webhook_deliveries_total", labels: ["outcome": outcome])
    }

    // MARK: The App Store

    /// Counts a response of the App Store about a customer, or a failed request.
    func countAppStoreRequest(outcome: String) {
        appStoreRequests(outcome: outcome).increment()
        guard outcome == "complete" else { return }
        Gauge(label: "appreceipt_app_store_last_response_timestamp_seconds", factory: factory)
            .record(Date().timeIntervalSince1970)
    }

    /// The outcomes that alerts and the dashboard name: success, and codes of ``AppStoreServerError``. There are
    /// others.
    private static let appStoreOutcomes = [
        "complete", "transaction-id-not-found", "unauthenticated", "app-not-found", "rate-limited",
        "verification-failed", "unreachable", "timed-out",
    ]

    private func appStoreRequests(outcome: String) -> Counter {
        counter("appreceipt_app_store_requests_total", labels: ["outcome": outcome])
    }

    /// Records the number of original transactions that wait for a request to the App Store.
    func recordAppStoreQueue(_ count: Int) {
        Gauge(label: "appreceipt_app_store_queue", factory: factory).record(count)
    }

    /// Counts new notifications in the notification history.
    func countCaughtUpNotifications(_ count: Int) {
        counter("appreceipt_caught_up_notifications_total").increment(by: count)
    }

    /// Counts notifications in the history that are given up because they don't verify.
    func countAbandonedNotifications(_ count: Int) {
        counter("appreceipt_caught_up_rejected_total").increment(by: count)
    }

    /// Records up to which date the notification history of an app was read, in milliseconds since 1970; 0 if it never
    /// was.
    func recordCaughtUp(_ scope: AppScope, until date: Int64) {
        Gauge(
            label: "appreceipt_caught_up_timestamp_seconds",
            dimensions: [("app", scope.app), ("environment", scope.environment.rawValue)], factory: factory
        ).record(Double(date) / 1000)
    }

    // MARK: Traces

    /// Counts spans that the collector has.
    func countExportedSpans(_ count: Int) { counter("appreceipt_spans_exported_total").increment(by: count) }

    /// Counts spans that are never exported.
    func countDroppedSpans(_ count: Int, because reason: SpanDropReason) {
        counter("appreceipt_spans_dropped_total", labels: ["reason": reason.rawValue]).increment(by: count)
    }

    // MARK: The process and the store

    /// Counts a failure of the database that a request or a background task met.
    func countDatabaseFailure(_ error: StoreError) { databaseFailures(code: error.code).increment() }

    private func databaseFailures(code: StoreError.Code) -> Counter {
        counter("appreceipt_database_failures_total", labels: ["code": code.rawValue])
    }

    /// Records the resources that the process uses, under the names that Prometheus gives to it.
    func record(_ use: ProcessUse) {
        if let seconds = use.processorSeconds {
            let increase = processorSeconds.withLock { last in
                defer { last = max(last, seconds) }
                return seconds - last
            }
            FloatingPointCounter(label: "process_cpu_seconds_total", factory: factory).increment(by: increase)
        }
        if let bytes = use.residentBytes {
            Gauge(label: "process_resident_memory_bytes", factory: factory).record(bytes)
        }
        if let files = use.openFiles { Gauge(label: "process_open_fds", factory: factory).record(files) }
    }

    /// Records the number of rows in the database.
    func record(_ statistics: StoreStatistics) {
        for (what, count) in [
            ("transactions", statistics.transactions), ("renewals", statistics.renewals),
            ("notifications", statistics.notifications), ("receipts", statistics.receipts),
            ("skipped", statistics.skippedRows), ("pending-writes", statistics.pendingWrites),
        ] {
            Gauge(label: "appreceipt_state", dimensions: [("what", what)], factory: factory).record(count)
        }
        for (app, webhooks) in Dictionary(grouping: statistics.webhooks, by: { WebhookName(parsing: $0.webhook).app }) {
            let (removed, configured) = (webhooks.filter { $0.removed != nil }, webhooks.filter { $0.removed == nil })
            for (state, count) in [
                ("waiting", configured.map(\.waiting)), ("removed", removed.map(\.waiting)),
                ("dead", configured.map(\.dead)),
            ] {
                Gauge(
                    label: "appreceipt_webhook_queue", dimensions: [("app", app), ("state", state)], factory: factory
                ).record(count.reduce(0, +))
            }
        }
    }
}
#endif
