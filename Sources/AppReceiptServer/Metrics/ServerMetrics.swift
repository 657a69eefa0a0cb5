#if Server
import AppReceiptFoundation
import AppReceiptKit
import CoreMetrics
import AppReceiptSupport
import VerifyReceipt

/// The metrics of a server. No label contains parts of a receipt, a token or an account, except for the identifier of an app.
final class ServerMetrics: Sendable {
    let factory: any MetricsFactory
    private let connections: Gauge
    private let requests: Gauge
    private let memory: Gauge
    private let overloads: [OverloadError.Reason: Counter]
    private let exceededDeadlines: [ConnectionPhase: Counter]
    private let replayed: Counter
    // Nearly all receipts are valid, and a lookup of a counter costs more than an increment.
    private let validResponses: Counter
    private let validReceipts: Counter
    /// Counters and timers by their labels. A lookup in the factory costs more than an increment.
    private let counters = LockedValueBox<[CounterKey: Counter]>([:])
    private let timers = LockedValueBox<[String: Timer]>([:])

    /// - Parameters:
    ///   - factory: Creates the metrics.
    ///   - version: The version of the program, for a label.
    init(_ factory: any MetricsFactory, version: String = "unknown") {
        self.factory = factory
        connections = Gauge(label: "appreceipt_connections", factory: factory)
        requests = Gauge(label: "appreceipt_requests_in_progress", factory: factory)
        memory = Gauge(label: "appreceipt_body_bytes", factory: factory)
        // Created here, so that they are 0 before the first event.
        overloads = Self.counters("appreceipt_overload_total", "reason", factory)
        exceededDeadlines = Self.counters("appreceipt_cut_off_total", "phase", factory)
        replayed = Counter(label: "appreceipt_replays_total", factory: factory)
        validResponses = Counter(
            label: "appreceipt_answers_total", dimensions: [("status", "0"), ("code", "valid")], factory: factory)
        validReceipts = Counter(
            label: "appreceipt_verdicts_total", dimensions: [("kind", "receipt"), ("code", "valid")], factory: factory)
        Gauge(label: "appreceipt_build_info", dimensions: [("version", version)], factory: factory).record(1)
        Gauge(label: "process_start_time_seconds", factory: factory).record(Date().timeIntervalSince1970)
        for (label, help) in Self.help { prometheus?.setHelp(help, for: label) }
    }

    /// The registry that `/metrics` returns. Nil if the factory isn't a ``PrometheusRegistry``.
    var prometheus: PrometheusRegistry? { factory as? PrometheusRegistry }

    private static func counters<Label: CaseIterable & RawRepresentable<String> & Hashable>(
        _ name: String, _ dimension: String, _ factory: any MetricsFactory
    ) -> [Label: Counter] {
        Dictionary(
            uniqueKeysWithValues: Label.allCases.map {
                ($0, Counter(label: name, dimensions: [(dimension, $0.rawValue)], factory: factory))
            })
    }

    private static let help = [
        ("appreceipt_connections", "Connections that are being served."),
        ("appreceipt_requests_in_progress", "Requests that are being verified or waiting for a thread."),
        ("appreceipt_body_bytes", "Memory reserved for request bodies and long responses, in bytes."),
        ("appreceipt_overload_total", "Requests and connections rejected because a limit was reached."),
        ("appreceipt_cut_off_total", "Connections closed because the client exceeded a deadline."),
        ("appreceipt_replays_total", "Purchases submitted by an account that doesn't own them."),
        ("appreceipt_http_requests_total", "Requests by route, method and status."),
        ("appreceipt_http_request_seconds", "Time from the head of a request to its response."),
        ("appreceipt_answers_total", "Responses of verifyReceipt by status and code."),
        ("appreceipt_verdicts_total", "Verified receipts and signed data by code, or valid."),
        ("appreceipt_notifications_total", "Notifications by outcome."),
        ("appreceipt_notification_types_total", "Accepted notifications by type."),
        (
            "appreceipt_last_notification_timestamp_seconds",
            "The time of the last accepted notification, in Unix seconds."
        ),
        ("appreceipt_build_info", "The version, as a label. The value is 1."),
        ("process_start_time_seconds", "The time the server was created, in Unix seconds."),
        ("appreceipt_state", "Rows in the database."),
        ("appreceipt_app_store_requests_total", "Customers that the App Store was asked about, by outcome."),
        (
            "appreceipt_app_store_last_answer_timestamp_seconds",
            "The time of the App Store's last answer, in Unix seconds."
        ),
        ("appreceipt_app_store_queue", "Original transactions that the App Store is still to be asked about."),
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

    /// Records how much of a resource is admitted.
    func record(_ amount: Int, of resource: AdmissionLoad.Resource) {
        switch resource {
        case .connections: connections.record(amount)
        case .requests: requests.record(amount)
        case .memory: memory.record(amount)
        }
    }

    /// Counts a rejection.
    func overloaded(_ reason: OverloadError.Reason) { overloads[reason]?.increment() }

    /// Counts a connection that was closed because the client was slow.
    func exceededDeadline(_ phase: ConnectionPhase) { exceededDeadlines[phase]?.increment() }

    /// Counts a request and its duration.
    func request(route: String, method: String, status: Int, nanoseconds: Int64) {
        let status = String(status)
        count(
            CounterKey(name: "appreceipt_http_requests_total", first: route, second: method, third: status),
            [("route", route), ("method", method), ("status", status)])
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
        verifyReceiptResponse(status: response.status.rawValue, code: code)
    }

    /// Counts a response of verifyReceipt.
    func verifyReceiptResponse(status: Int, code: String?) {
        if status == 0, code == nil { return validResponses.increment() }
        let (status, code) = (String(status), code ?? "valid")
        count(
            CounterKey(name: "appreceipt_answers_total", first: status, second: code),
            [("status", status), ("code", code)])
    }

    /// Counts a verification of `/v1`.
    func verdict(kind: String, code: String?) {
        if kind == "receipt", code == nil { return validReceipts.increment() }
        let code = code ?? "valid"
        count(
            CounterKey(name: "appreceipt_verdicts_total", first: kind, second: code), [("kind", kind), ("code", code)])
    }

    /// Counts a notification that wasn't accepted.
    func rejectedNotification() {
        count(CounterKey(name: "appreceipt_notifications_total", first: "refused"), [("outcome", "refused")])
    }

    /// Counts an accepted notification, by outcome and by type, and records the time.
    ///
    /// Only signed types become labels, so clients can't invent any.
    func acceptedNotification(_ outcome: String, type: String) {
        count(CounterKey(name: "appreceipt_notifications_total", first: outcome), [("outcome", outcome)])
        count(CounterKey(name: "appreceipt_notification_types_total", first: type), [("type", type)])
        Gauge(label: "appreceipt_last_notification_timestamp_seconds", factory: factory)
            .record(Date().timeIntervalSince1970)
    }

    // MARK: The App Store

    /// Counts an answer of the App Store about a customer, or a failed request.
    func appStoreRequest(outcome: String) {
        count(CounterKey(name: "appreceipt_app_store_requests_total", first: outcome), [("outcome", outcome)])
        guard outcome == "answered" else { return }
        Gauge(label: "appreceipt_app_store_last_answer_timestamp_seconds", factory: factory)
            .record(Date().timeIntervalSince1970)
    }

    /// Records the number of original transactions that the App Store is still to be asked about.
    func appStoreQueue(_ count: Int) { Gauge(label: "appreceipt_app_store_queue", factory: factory).record(count) }

    /// Counts new notifications in the notification history.
    func readNotifications(new: Int) {
        Counter(label: "appreceipt_caught_up_notifications_total", factory: factory).increment(by: new)
    }

    /// Counts notifications in the history that are given up because they don't verify.
    func gaveUpNotifications(_ count: Int) {
        Counter(label: "appreceipt_caught_up_rejected_total", factory: factory).increment(by: count)
    }

    /// Records up to which date the notification history of an app was read, in milliseconds since 1970; 0 if it never was.
    func caughtUp(_ scope: AppScope, until date: Int64) {
        Gauge(
            label: "appreceipt_caught_up_timestamp_seconds",
            dimensions: [("app", scope.app), ("environment", scope.environment)], factory: factory
        ).record(Double(date) / 1000)
    }

    /// Counts purchases submitted by an account that doesn't own them.
    func replays(_ count: Int) { replayed.increment(by: count) }

    /// Records the number of rows in the database.
    func state(_ statistics: StoreStatistics) {
        for (what, count) in [
            ("transactions", statistics.transactions), ("renewals", statistics.renewals),
            ("notifications", statistics.notifications), ("receipts", statistics.receipts),
            ("passed-over", statistics.skippedRows), ("pending-writes", statistics.pendingWrites),
        ] {
            Gauge(label: "appreceipt_state", dimensions: [("what", what)], factory: factory).record(count)
        }
    }

    /// A counter's name and the values of its labels, of which the last may be absent.
    private struct CounterKey: Hashable {
        let name: String
        let first: String
        var second = ""
        var third = ""
    }

    /// Increments the counter with this key. The dimensions are needed only when it is created.
    private func count(_ key: CounterKey, _ dimensions: @autoclosure () -> [(String, String)]) {
        let counter = counters.withLock { counters in
            if let counter = counters[key] { return counter }
            let counter = Counter(label: key.name, dimensions: dimensions(), factory: factory)
            counters[key] = counter
            return counter
        }
        counter.increment()
    }
}
#endif
