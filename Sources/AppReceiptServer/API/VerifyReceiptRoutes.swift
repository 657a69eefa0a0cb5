#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Apple's endpoint: a POST of JSON, whatever its content type says, is answered with 200 and a status in the body.
@available(AppReceiptServer 1.0, *)
struct VerifyReceiptRoutes: Sendable {
    let core: ServerCore

    var endpoints: [Endpoint] {
        var endpoints: [Endpoint] = []
        if let environments = core.configuration.verifyReceiptEnvironments {
            endpoints += Self.endpoints("/verifyReceipt", core, environments)
        }
        if core.configuration.environments.contains(.sandbox) {
            endpoints += Self.endpoints("/sandbox/verifyReceipt", core, .sandbox)
        }
        return endpoints
    }

    private static func endpoints(
        _ path: String, _ core: ServerCore, _ environments: VerifyReceiptResponder.Environments
    ) -> [Endpoint] {
        let configuration = core.configuration
        let responder = VerifyReceiptResponder(
            verifier: core.receipts, environments: environments, sharedSecret: configuration.sharedSecret,
            bundleIdentifiers: configuration.answeredBundles, transactionReceipts: configuration.transactionReceipts)
        let notPosted = VerifyReceiptResponse(status: .requestUnreadable)
        return [
            .post(path) { try await Self.answer($0, $1, responder, core) },
            // Apple's says 21000 to everything that is no POST.
            .get(path) { _, context in
                core.metrics.answer(status: notPosted.status.rawValue, code: "not-posted")
                context.logger.info("verifyReceipt refused", metadata: ["status": "21000", "code": "not-posted"])
                return Response(jsonBytes: notPosted.body)
            },
        ]
    }

    private static func answer(
        _ request: Request, _ context: ServerContext, _ responder: VerifyReceiptResponder, _ core: ServerCore
    ) async throws -> Response {
        do {
            let account = try core.account(request)
            return try await core.withVerificationSlot(request) { body in
                let history = LoggedHistory(store: core.store, logger: context.logger)
                let answer = await responder.answer(body.bytes, history: history)
                let code =
                    answer.status == .historyUnavailable ? "state-unavailable" : answer.failure?.code.rawValue
                core.metrics.answer(status: answer.status.rawValue, code: code)
                if let failure = answer.failure {
                    context.logger.info(
                        "verifyReceipt refused",
                        metadata: ["status": "\(answer.status)", "code": "\(failure.code)"])
                }
                var response = Response(jsonBytes: answer.body)
                // Record the receipt even if nothing new was learned, so that a later submission by another account counts as a replay.
                if let receipt = answer.receipt, core.servesHistory(of: receipt.environment) {
                    let recorded = try await core.recording { () throws(StoreError) in
                        switch receipt {
                        case .app(let receipt): try await core.store.record(receipt, account: account)
                        case .transaction(let receipt): try await core.store.record(receipt, account: account)
                        }
                    }
                    if account != nil { response.headers[.replay] = String(recorded.replays.count) }
                    core.report(recorded, context)
                }
                return response
            }
        } catch is CollectedBody.TooLarge {
            let answer = VerifyReceiptResponse(status: .requestUnreadable)
            core.metrics.answer(status: answer.status.rawValue, code: "request-too-large")
            context.logger.info("verifyReceipt refused", metadata: ["status": "21000", "code": "request-too-large"])
            var response = Response(jsonBytes: answer.body)
            // What is left of the body is not read.
            response.headers[.connection] = "close"
            return response
        } catch let error as ServerCore.Unrecorded {
            context.logger.error("The database failed", metadata: ["error": "\(error.error)"])
            return Response(jsonBytes: VerifyReceiptResponse(status: .historyUnavailable, isRetryable: true).body)
        }
    }
}

/// The store, whose failures and skipped rows are logged: an answer doesn't state them.
struct LoggedHistory: TransactionHistory {
    let store: TransactionStore
    let logger: Logger

    func history(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws -> CustomerHistory {
        let skipped = store.skippedRows
        do {
            let history = try await store.history(of: originals, app: app, environment: environment)
            if store.skippedRows > skipped {
                logger.warning("Stored rows that don't verify under the current roots were skipped")
            }
            return history
        } catch {
            logger.error("The database failed", metadata: ["error": "\(error)"])
            throw error
        }
    }
}

@available(AppReceiptServer 1.0, *)
extension ServerCore {
    /// Counts and logs purchases that were presented for a second account.
    func report(_ recorded: RecordResult, _ context: ServerContext) {
        guard !recorded.replays.isEmpty else { return }
        metrics.replays(recorded.replays.count)
        context.logger.warning(
            "Purchases were presented for another account than before",
            metadata: ["purchases": "\(recorded.replays.count)"])
    }
}
#endif
