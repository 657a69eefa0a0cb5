#if Server
import AppReceiptKit
import AppStoreSignedData
import Hummingbird
import Logging

/// Receives App Store Server Notifications, version 2.
@available(AppReceiptServer 1.0, *)
struct NotificationRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/notifications") { request, context in
            try await service.withVerificationSlot(for: request) { try await receive($0, context) }
        }
    }

    private func receive(_ body: [UInt8], _ context: ServerContext) async throws -> Response {
        let expectations = try service.signedDataExpectations(for: JWSText.token(in: body))
        let report = service.signedData.report(body: body, expecting: expectations).withServerRemedies
        guard var object = report.json.object else { return Response(json: report.json) }
        guard case .success(.notification(let notification)) = report.result else {
            service.metrics.notification("refused")
            context.logger.info(
                "Notification rejected", metadata: ["code": "\(report.failure?.code.rawValue ?? "")"])
            object["recorded"] = false
            return Response(json: .object(object), status: .badRequest)
        }
        let recorded = try await service.record(in: context) { () throws(StoreError) in
            try await service.store.record(notification)
        }
        service.metrics.notification(!recorded.isStored ? "not-stored" : recorded.isNew ? "new" : "repeated")
        // The App Store repeats a notification until it gets a 2xx status. New evidence in a repetition is recorded.
        object["recorded"] = .boolean(recorded.isStored)
        object["repeated"] = .boolean(recorded.isStored && !recorded.isNew)
        return Response(json: .object(object))
    }
}
#endif
