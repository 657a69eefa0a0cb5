#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import VerifyReceipt

/// Apple's endpoints. A request is read as JSON with any content type, and the response is 200 with a status in the body.
@available(AppReceiptServer 1.0, *)
struct VerifyReceiptRoutes: Sendable {
    let service: ReceiptService

    /// The maximum size in bytes of a body that is verified on an event loop. Such a receipt takes about a millisecond, and at most three.
    private static let maxEventLoopBytes = 128 << 10

    func addRoutes(to group: RouterGroup<ServerContext>) {
        if let environments = service.configuration.verifyReceiptEnvironments {
            addRoutes(to: group, at: "/verifyReceipt", environments)
        }
        if service.configuration.environments.contains(.sandbox) {
            addRoutes(to: group, at: "/sandbox/verifyReceipt", .sandbox)
        }
    }

    private func addRoutes(
        to group: RouterGroup<ServerContext>, at path: RouterPath, _ environments: VerifyReceiptResponder.Environments
    ) {
        let configuration = service.configuration
        let responder = VerifyReceiptResponder(
            verifier: service.receipts, environments: environments, sharedSecret: configuration.sharedSecret,
            bundleIdentifiers: configuration.acceptedBundleIdentifiers,
            transactionReceipts: configuration.transactionReceipts, renewalInfo: configuration.renewalInfo)
        group.post(path) { request, context in
            let context = try context.withAccount(of: request)
            return try await service.withVerificationSlot(for: request, maxEventLoopBytes: Self.maxEventLoopBytes) {
                body in
                try await respond(to: body, with: responder, context)
            }
        }
        // Apple's endpoints return 21000 for every method but POST.
        group.get(path) { _, context in
            let rejected = VerifyReceiptResponse(status: .requestUnreadable)
            service.metrics.verifyReceiptResponse(status: rejected.status.rawValue, code: "not-posted")
            await onVerificationExecutor {
                context.logger.verifyReceiptRejected(rejected.status, code: "not-posted")
            }
            return Response(jsonBytes: rejected.body)
        }
    }

    /// Renders failures as Apple's clients expect them: with HTTP status 200, and a status in the body.
    static func errorResponse(_ metrics: ServerMetrics) -> ErrorMiddleware.Render {
        { failure, logger in
            switch failure {
            case .bodyTooLarge:
                let rejected = VerifyReceiptResponse(status: .requestUnreadable)
                metrics.verifyReceiptResponse(status: rejected.status.rawValue, code: "request-too-large")
                logger.verifyReceiptRejected(rejected.status, code: "request-too-large")
                var response = Response(jsonBytes: rejected.body)
                // The rest of the body isn't read.
                response.headers[.connection] = "close"
                return response
            case .databaseFailed, .tooMuchEvidence:
                return Response(jsonBytes: VerifyReceiptResponse(status: .historyUnavailable, isRetryable: true).body)
            }
        }
    }

    private func respond(
        to body: [UInt8], with responder: VerifyReceiptResponder, _ context: ServerContext
    ) async throws -> Response {
        switch responder.verify(body) {
        case .rejected(let rejection):
            await report(rejection, context)
            return Response(jsonBytes: rejection.body)
        case .verified(let request):
            let history = service.history(for: request.appReceipt, context.logger)
            let answer = await history.withExecutor { await responder.respond(to: request, history: history) }
            return try await response(answer, history, context)
        }
    }

    private func response(
        _ answer: VerifyReceiptResponse, _ history: LoggedHistory, _ context: ServerContext
    ) async throws -> Response {
        await report(answer, context)
        var response = Response(jsonBytes: answer.body)
        history.mark(&response)
        // Record the receipt even if nothing new was learned, so that a later submission by another account is a replay.
        guard let receipt = answer.receipt, service.storesPurchases(of: receipt.environment) else { return response }
        let recorded = try await service.record(in: context) { () throws(StoreError) in
            switch receipt {
            case .app(let receipt): try await service.store.record(receipt, account: context.account)
            case .transaction(let receipt): try await service.store.record(receipt, account: context.account)
            }
        }
        if context.account != nil { response.headers[.replay] = String(recorded.replays.count) }
        return response
    }

    /// Counts a response, and logs a failure.
    private func report(_ response: VerifyReceiptResponse, _ context: ServerContext) async {
        let code = response.status == .historyUnavailable ? "state-unavailable" : response.failure?.code.rawValue
        service.metrics.verifyReceiptResponse(status: response.status.rawValue, code: code)
        guard let failure = response.failure else { return }
        // Writing a log can block.
        await onVerificationExecutor {
            context.logger.verifyReceiptRejected(response.status, code: failure.code.rawValue)
        }
    }
}
#endif
