#if Server
import AppReceiptKit
import CoreMetrics
import AppReceiptSupport

/// What a server counts. No label holds anything of a receipt or a customer.
final class ServerMetrics: Sendable {
    /// Why a request was refused although nothing was wrong with it.
    enum Overload: String, CaseIterable { case connections, requests, memory, database }

    /// What a client that was cut off took too long for.
    enum Phase: String, CaseIterable { case head, body, answer }

    let registry: PrometheusRegistry
    let connections: Gauge
    let requestsInWork: Gauge
    let bodyBytes: Gauge
    private let overloads: [Overload: Counter]
    private let cuts: [Phase: Counter]
    private let replayed: Counter
    /// Counters and timers by their labels: to find them in the registry costs more than to count.
    private let counters = LockedValueBox<[[String]: Counter]>([:])
    private let timers = LockedValueBox<[String: Timer]>([:])

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
        connections = Gauge(label: "appreceipt_connections", factory: registry)
        requestsInWork = Gauge(label: "appreceipt_requests_in_work", factory: registry)
        bodyBytes = Gauge(label: "appreceipt_body_bytes", factory: registry)
        overloads = Dictionary(
            uniqueKeysWithValues: Overload.allCases.map {
                (
                    $0,
                    Counter(
                        label: "appreceipt_overload_total", dimensions: [("reason", $0.rawValue)], factory: registry)
                )
            })
        cuts = Dictionary(
            uniqueKeysWithValues: Phase.allCases.map {
                (
                    $0,
                    Counter(label: "appreceipt_cut_off_total", dimensions: [("phase", $0.rawValue)], factory: registry)
                )
            })
        replayed = Counter(label: "appreceipt_replays_total", factory: registry)
        for (label, help) in Self.helps { registry.describe(label, help) }
    }

    private static let helps = [
        ("appreceipt_connections", "Connections that are open."),
        ("appreceipt_requests_in_work", "Requests that are being judged or wait for a processor."),
        ("appreceipt_body_bytes", "Bytes of request bodies in memory."),
        ("appreceipt_overload_total", "Requests that were refused because there was too much to do."),
        ("appreceipt_cut_off_total", "Clients that were cut off because they were slow."),
        ("appreceipt_replays_total", "Purchases that were presented for another account than before."),
        ("appreceipt_http_requests_total", "Requests by route, method and status."),
        ("appreceipt_http_request_seconds", "Time from a request's head to its answer."),
        ("appreceipt_answers_total", "Answers of verifyReceipt by status and code."),
        ("appreceipt_verdicts_total", "Receipts and signed data that were judged, by code; valid for those that are."),
        ("appreceipt_notifications_total", "Notifications by what became of them."),
        ("appreceipt_state", "What the database holds."),
    ]

    func overloaded(_ reason: Overload) { overloads[reason]?.increment() }
    func cutOff(_ phase: Phase) { cuts[phase]?.increment() }
    func replays(_ count: Int) { replayed.increment(by: count) }

    func request(route: String, method: String, status: Int, nanoseconds: Int64) {
        count("appreceipt_http_requests_total", [("route", route), ("method", method), ("status", String(status))])
        let timer = timers.withLock { timers in
            if let timer = timers[route] { return timer }
            let timer = Timer(
                label: "appreceipt_http_request_seconds", dimensions: [("route", route)], factory: registry)
            timers[route] = timer
            return timer
        }
        timer.recordNanoseconds(nanoseconds)
    }

    func answer(status: Int, code: String?) {
        count("appreceipt_answers_total", [("status", String(status)), ("code", code ?? "valid")])
    }

    func verdict(kind: String, code: String?) {
        count("appreceipt_verdicts_total", [("kind", kind), ("code", code ?? "valid")])
    }

    func notification(_ outcome: String) { count("appreceipt_notifications_total", [("outcome", outcome)]) }

    private func count(_ label: String, _ dimensions: [(String, String)]) {
        let key = [label] + dimensions.map(\.1)
        let counter = counters.withLock { counters in
            if let counter = counters[key] { return counter }
            let counter = Counter(label: label, dimensions: dimensions, factory: registry)
            counters[key] = counter
            return counter
        }
        counter.increment()
    }
}
#endif
