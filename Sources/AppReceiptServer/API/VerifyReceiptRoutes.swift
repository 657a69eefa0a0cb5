#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import VerifyReceipt

/// Apple's endpoints. A request is read as JSON, whatever its content type, and the answer is 200 with a status in the body.
@available(AppReceiptServer 1.0, *)
struct VerifyReceiptRoutes: Sendable {
    let service: ReceiptService

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
            bundleIdentifiers: configuration.answeredBundles, transactionReceipts: configuration.transactionReceipts)
        group.post(path) { request, context in
            try await service.withVerificationSlot(for: request) { body in
                try await respond(to: body, with: responder, context)
            }
        }
        // Apple's endpoints return 21000 for every method but POST.
        group.get(path) { _, context in
            let answer = VerifyReceiptResponse(status: .requestUnreadable)
            service.metrics.answer(status: answer.status.rawValue, code: "not-posted")
            context.logger.verifyReceiptRefused(answer.status, code: "not-posted")
            return Response(jsonBytes: answer.body)
        }
    }

    private func respond(
        to body: [UInt8], with responder: VerifyReceiptResponder, _ context: ServerContext
    ) async throws -> Response {
        let history = LoggedHistory(store: service.store, logger: context.logger)
        let answer = await responder.respond(to: body, history: history)
        report(answer, context)
        var response = Response(jsonBytes: answer.body)
        // Record the receipt even if nothing new was learned, so that a later submission by another account is a replay.
        guard let receipt = answer.receipt, service.storesPurchases(of: receipt.environment) else { return response }
        let recorded = try await service.record(context) { () throws(StoreError) in
            switch receipt {
            case .app(let receipt): try await service.store.record(receipt, account: context.account)
            case .transaction(let receipt): try await service.store.record(receipt, account: context.account)
            }
        }
        if context.account != nil { response.headers[.replay] = String(recorded.replays.count) }
        return response
    }

    private func report(_ answer: VerifyReceiptResponse, _ context: ServerContext) {
        let code = answer.status == .historyUnavailable ? "state-unavailable" : answer.failure?.code.rawValue
        service.metrics.answer(status: answer.status.rawValue, code: code)
        if let failure = answer.failure {
            context.logger.verifyReceiptRefused(answer.status, code: failure.code.rawValue)
        }
    }
}
#endif
