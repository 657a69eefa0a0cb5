#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import HTTPTypes
import Hummingbird
import ServiceLifecycle

/// The changes of entitlements, in their order.
@available(AppReceiptServer 1.0, *)
struct EventRoutes: Sendable {
    let service: ReceiptService

    private static let maxLimit: UInt64 = 1000
    private static let maxWait: UInt64 = 60
    /// The time between two looks at the database while a request waits. Another server may write it.
    private static let interval = Duration.milliseconds(250)

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.get("/events") { request, context in
            let options = try RequestOptions(
                of: request, named: RequestedScopes.options.union(["after", "wait", "limit"]))
            let after = try cursor(options)
            let limit = Int(try options.wholeNumber("limit", in: 1...Self.maxLimit) ?? 100)
            let wait = try options.wholeNumber("wait", in: 0...Self.maxWait) ?? 0
            let scopes = try RequestedScopes(options)
            let question = Question(
                limit: limit, apps: try service.apps(of: scopes, in: context), environments: scopes.environments)
            // A single token has nobody to leave places for.
            let token = service.configuration.tokens.count > 1 ? context.access.token : nil
            let page = try await page(of: question, after: after, wait: .seconds(Int(wait)), for: token)
            let response =
                request.acceptsLines
                ? Response(lines: page.events) { $0.write(to: &$1) } : Self.document(page)
            return try response.reservingMemory(from: service.admission)
        }
    }

    private func cursor(_ options: RequestOptions) throws(APIError) -> Int64 {
        guard let text = try options.value("after", expected: "a cursor", convert: { $0 }) else { return 0 }
        // Only as it was given out: without a sign and without leading zeros.
        guard let cursor = Int64(text), cursor >= 0, String(cursor) == text else {
            throw .cursorMalformed
        }
        return cursor
    }

    /// The events that a request asks about.
    private struct Question: Sendable {
        let limit: Int
        /// The apps; nil for all.
        let apps: Set<String>?
        /// The environments; nil for all.
        let environments: Set<AppStoreEnvironment>?
    }

    /// Returns the events after a cursor. If there are none, looks again until the wait is over, the client is gone or
    /// the server stops.
    ///
    /// An answer takes less time than the server allows for a response.
    private func page(
        of question: Question, after cursor: Int64, wait: Duration, for token: String?
    ) async throws -> EventPage {
        let longest = service.configuration.limits.responseTimeout - .seconds(5)
        let end = ContinuousClock.now + min(wait, longest)
        var page = try await service.admission.withVerificationSlot(bodyBytes: 0) {
            try await events(of: question, after: cursor)
        }
        guard page.events.isEmpty, wait > .zero else { return page }
        let reservation = try service.admission.reserveWaiting(for: token)
        defer { withExtendedLifetime(reservation) {} }
        let client = ClientPresence.current
        while page.events.isEmpty, ContinuousClock.now < end, client?.isGone != true, !Task.isCancelled,
            !Task.isShuttingDownGracefully
        {
            try await Task.sleep(for: min(Self.interval, end - .now))
            page = try await events(of: question, after: page.next)
        }
        return page
    }

    /// - Throws: `cursor-malformed` if the database never had the cursor, so that a client doesn't miss the events that
    ///   get the numbers it knows.
    private func events(of question: Question, after cursor: Int64) async throws -> EventPage {
        let page = try await service.tracing.span(.storeRead) {
            try await service.store.events(
                after: cursor, limit: question.limit, apps: question.apps, environments: question.environments)
        }
        guard page.next >= cursor else {
            throw APIError.badRequest(
                .cursorMalformed,
                """
                'after' is beyond the last event, \(page.next). If the database was restored from a backup, read again \
                from the last event that it has in common with yours.
                """)
        }
        return page
    }

    private static func document(_ page: EventPage) -> Response {
        var writer = JSONWriter()
        writer.openObject()
        writer.openArray("events")
        for event in page.events { writer.element { event.write(to: &$0) } }
        writer.closeArray()
        writer.member("next", String(page.next))
        writer.closeObject()
        return Response(jsonBytes: writer.bytes)
    }
}

extension APIError {
    static let cursorMalformed = APIError.badRequest(
        .cursorMalformed, "'after' must be a cursor: the 'next' of an earlier answer.")
}
#endif
