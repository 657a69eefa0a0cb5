#if Server
import AppReceiptKit
import AppStoreSignedData
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
            bundleIdentifiers: configuration.acceptedBundleIdentifiers, renewalInfo: configuration.renewalInfo)
        group.post(path) { request, context in
            let context = try context.withAccount(of: request)
            return try await service.withVerificationSlot(for: request, maxEventLoopBytes: Self.maxEventLoopBytes) {
                body in
                try respond(to: body, with: responder, context)
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

    /// Responds without blocking to a rejection that isn't logged, and to a recorded receipt that is known to be the only evidence.
    private func respond(
        to body: [UInt8], with responder: VerifyReceiptResponder, _ context: ServerContext
    ) throws -> PartialResult<Response> {
        let request: VerifyReceiptResponder.VerifiedRequest
        switch responder.verify(body) {
        case .verified(let verified): request = verified
        case .rejected(let rejection):
            service.metrics.count(rejection)
            return rejection.failure == nil
                ? .finished(response(rejection, context)) : .unfinished { logged(rejection, context) }
        }
        if let receipt = request.appReceipt, service.isKnownToBeOnlyEvidence(receipt),
            try service.hasRecorded(receipt, in: context)
        {
            let answer = responder.response(to: request, evidence: CustomerEvidence())
            service.metrics.count(answer)
            return .finished(response(answer, context))
        }
        return .unfinished {
            let history = service.history(context.logger)
            let answer = await responder.response(to: request, evidence: history)
            let replays = try await record(answer.receipt, in: context)
            service.metrics.count(answer)
            var response = logged(answer, context, replays: replays)
            history.mark(&response)
            return response
        }
    }

    /// Records the receipt even if nothing new was learned, so that a later submission by another account is a replay.
    private func record(
        _ receipt: VerifyReceiptResponse.Receipt?, in context: ServerContext
    ) async throws -> [RecordResult.Replay] {
        switch receipt {
        case .app(let receipt):
            try await service.record(receipt, in: context)
        case .transaction(let receipt):
            try await service.record(receipt, in: context)
        case nil:
            []
        }
    }

    /// Logs a failure, which can block, and returns the response.
    private func logged(
        _ answer: VerifyReceiptResponse, _ context: ServerContext, replays: [RecordResult.Replay] = []
    ) -> Response {
        if let failure = answer.failure {
            context.logger.verifyReceiptRejected(answer.status, code: failure.code.rawValue)
        }
        return response(answer, context, replays: replays)
    }

    private func response(
        _ answer: VerifyReceiptResponse, _ context: ServerContext, replays: [RecordResult.Replay] = []
    ) -> Response {
        var response = Response(jsonBytes: answer.body)
        if let receipt = answer.receipt, context.account != nil, service.storesPurchases(of: receipt.environment) {
            response.headers[.replay] = String(replays.count)
        }
        return response
    }
}
#endif
