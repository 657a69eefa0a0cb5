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

    /// Whether the last component of a path is that of these routes.
    ///
    /// - Parameter path: The path, or the target of a request that isn't parsed yet.
    static func isRoute(_ path: String) -> Bool {
        // The router ignores slashes at the end.
        path.prefix { $0 != "?" }.split(separator: "/").last == "verifyReceipt"
    }

    private func respond(
        to body: [UInt8], with responder: VerifyReceiptResponder, _ context: ServerContext
    ) async throws -> Response {
        switch responder.verify(body) {
        case .rejected(let rejection):
            count(rejection)
            if let failure = rejection.failure { await log(failure, rejection.status, context) }
            return Response(jsonBytes: rejection.body)
        case .verified(let request):
            if let receipt = request.appReceipt, service.isKnownToBeOnlyEvidence(receipt) {
                return try await response(responder.respond(to: request, knowing: CustomerHistory()), context)
            }
            let history = service.history(context.logger)
            let answer = await onVerificationExecutor { await responder.respond(to: request, history: history) }
            var response = try await response(answer, context)
            history.mark(&response)
            return response
        }
    }

    private func response(_ answer: VerifyReceiptResponse, _ context: ServerContext) async throws -> Response {
        count(answer)
        if let failure = answer.failure { await log(failure, answer.status, context) }
        var response = Response(jsonBytes: answer.body)
        // Record the receipt even if nothing new was learned, so that a later submission by another account is a replay.
        guard let receipt = answer.receipt, service.storesPurchases(of: receipt.environment) else { return response }
        let replays =
            switch receipt {
            case .app(let receipt):
                try await service.record(receipt, in: context)
            case .transaction(let receipt):
                try await service.record(in: context) { () throws(StoreError) in
                    try await service.store.record(receipt, account: context.account)
                }.replays
            }
        if context.account != nil { response.headers[.replay] = String(replays.count) }
        return response
    }

    private func count(_ response: VerifyReceiptResponse) {
        let code = response.status == .historyUnavailable ? "state-unavailable" : response.failure?.code.rawValue
        service.metrics.verifyReceiptResponse(status: response.status.rawValue, code: code)
    }

    private func log(_ failure: ReceiptError, _ status: VerifyReceiptStatus, _ context: ServerContext) async {
        // Writing a log can block.
        await onVerificationExecutor { context.logger.verifyReceiptRejected(status, code: failure.code.rawValue) }
    }
}
#endif
