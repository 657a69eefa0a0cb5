#if Server
import AppReceiptKit
import AppReceiptStore
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

/// Apple's endpoints. A request is read as JSON with any content type, and the response is 200 with a status in the
/// body.
@available(AppReceiptServer 1.0, *)
struct VerifyReceiptRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to group: RouterGroup<ServerContext>) {
        if let environments = service.configuration.verifyReceiptEnvironments {
            addRoutes(to: group, at: "/verifyReceipt", for: environments)
        }
        if service.configuration.servedEnvironments.contains(.sandbox) {
            addRoutes(to: group, at: "/sandbox/verifyReceipt", for: .sandbox)
        }
    }

    private func addRoutes(
        to group: RouterGroup<ServerContext>, at path: RouterPath,
        for environments: VerifyReceiptResponder.Environments
    ) {
        let configuration = service.configuration
        let responder = VerifyReceiptResponder(
            verifier: service.receipts, environments: environments, sharedSecret: configuration.sharedSecret,
            bundleIdentifiers: configuration.acceptedBundleIdentifiers, apps: configuration.verifyReceiptApps,
            renewalInfo: configuration.renewalInfo,
            signedData: configuration.acceptsSignedTransactions ? service.signedData : nil)
        group.post(path) { request, context in
            let context = try context.withAccount(of: request)
            return try await service.admission.withBody(of: request) { body in
                try await verify(body, with: responder, in: context)
            }
        }
        // Apple's endpoints return 21000 for every method but POST. Here, GET and HEAD do, and other methods get 405.
        group.get(path) { _, context in
            let rejected = VerifyReceiptResponse(status: .requestUnreadable)
            service.metrics.countVerifyReceiptResponse(status: rejected.status.rawValue, code: "not-posted")
            service.rejections.log(rejected.status, code: "not-posted", logger: context.logger)
            return Response(jsonBytes: rejected.body)
        }
    }

    private func verify(
        _ body: [UInt8], with responder: VerifyReceiptResponder, in context: ServerContext
    ) async throws -> Response {
        let history = service.history(for: context)
        let answer = await service.tracing.span(.verification) {
            await responder.response(to: body, evidence: history)
        }
        // Recorded even if nothing new was learned, so that a later submission by another account is a replay.
        var recorded =
            switch answer.receipt {
            case .app(let receipt): try await service.record(receipt, after: history, in: context)
            case .transaction(let receipt): try await service.record(receipt, in: context)
            case .signedTransactions(let transactions): try await service.record(transactions, in: context)
            case nil: RecordResult.notStored
            }
        if let beside = answer.signedTransactions { recorded.add(try await service.record(beside, in: context)) }
        service.metrics.count(answer)
        if let failure = answer.failure {
            service.rejections.log(answer.status, code: failure.code.rawValue, logger: context.logger)
        }
        var response = Response(jsonBytes: answer.body)
        if let hint = answer.hint {
            let setting = answer.isAboutSetting ? " Or set accept-signed-transactions." : ""
            service.rejections.log(
                "verifyReceipt hint", metadata: ["hint": "\(answer.loggedHint ?? hint)\(setting)"],
                logger: context.logger)
            response.headers[.receiptHint] = hint + setting
        }
        if let receipt = answer.receipt, context.account != nil, service.storesPurchases(of: receipt.environment) {
            response.headers[.replay] = String(recorded.replayedOriginals.count)
        }
        history.mark(&response)
        return response
    }
}
#endif
