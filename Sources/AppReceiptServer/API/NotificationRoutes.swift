#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import Hummingbird
import Logging

/// Receives App Store Server Notifications, version 2.
@available(AppReceiptServer 1.0, *)
struct NotificationRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.post("/notifications") { request, context in
            let isReportRequested = request.uri.queryParameters["report"] == "true"
            // A report compares the notification with the server's configuration, which isn't public.
            if isReportRequested { try Authentication(token: service.configuration.bearerToken).check(request) }
            return try await service.withVerificationSlot(for: request) { body in
                try await receive(body, isReportRequested: isReportRequested, context)
            }
        }
    }

    private func receive(
        _ body: [UInt8], isReportRequested: Bool, _ context: ServerContext
    ) async throws -> Response {
        let expectations = try service.signedDataExpectations(for: JWSText.token(in: body))
        let report = service.signedData.report(body: body, expecting: expectations).withServerRemedies
        guard case .success(.notification(let notification)) = report.result else {
            service.metrics.rejectedNotification()
            context.logger.info(
                "Notification rejected", metadata: ["code": "\(report.failure?.code.rawValue ?? "")"])
            var object: JSONObject = [
                "verdict": "invalid", "failure": report.firstFailure.map { .object($0.failureJSON) } ?? .null,
            ]
            if isReportRequested, let full = report.json.object { object = full }
            object["recorded"] = false
            return Response(json: .object(object), status: .badRequest)
        }
        let recorded = try await service.record(in: context) { () throws(StoreError) in
            try await service.store.record(notification)
        }
        let outcome = !recorded.isStored ? "not-stored" : recorded.isNew ? "new" : "repeated"
        let claims = notification.notification.claims
        let type = claims.notificationType?.rawValue ?? "none"
        service.metrics.acceptedNotification(outcome, type: type)
        context.logger.info(
            "Notification accepted",
            metadata: ["type": "\(type)", "subtype": "\(claims.subtype?.rawValue ?? "none")", "outcome": "\(outcome)"])
        // The App Store only reads the status.
        guard isReportRequested, var object = report.json.object else { return Response(json: [:]) }
        // The App Store repeats a notification until it gets a 2xx status. New evidence in a repetition is recorded.
        object["recorded"] = .boolean(recorded.isStored)
        object["repeated"] = .boolean(recorded.isStored && !recorded.isNew)
        return Response(json: .object(object))
    }
}
#endif
