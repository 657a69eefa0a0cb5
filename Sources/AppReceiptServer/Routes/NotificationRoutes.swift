#if Server
import AppReceiptKit
import AppReceiptStore
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
            let isReportRequested = try Self.isReportRequested(request)
            // A report compares the notification with the server's configuration, which isn't public.
            var context = context
            if isReportRequested {
                let authentication = Authentication(tokens: service.configuration.tokens, permission: .validation)
                context.access = try authentication.access(of: request)
            }
            return try await service.admission.withBody(of: request) { [context] body in
                try await receive(body, isReportRequested: isReportRequested, in: context)
            }
        }
    }

    /// Whether the request has `report=true`. Other options are ignored, because the address in App Store Connect may
    /// have some.
    private static func isReportRequested(_ request: Request) throws(APIError) -> Bool {
        switch request.uri.queryParameters["report"] {
        case nil, "false": return false
        case "true": return true
        default: throw .badRequest(.optionMalformed, "'report' must be true or false.")
        }
    }

    private func receive(
        _ body: [UInt8], isReportRequested: Bool, in context: ServerContext
    ) async throws -> Response {
        let source = Result { () throws(ReceiptError) in try service.signedData.notificationToken(in: body) }
        let expectations = try service.expectations(for: (try? source.get()) ?? "")
        let report = service.tracing.verifying {
            service.signedData.report(source: source, as: .notification, expecting: expectations)
        }.withServerRemedies
        guard case .success(let data) = report.result, case .notification(let notification) = data else {
            service.metrics.countRejectedNotification()
            service.rejections.log(
                "Notification rejected", metadata: ["code": "\(report.failure?.code.rawValue ?? "")"],
                logger: context.logger)
            var object: AppStoreJSON.Object = [
                "verdict": "invalid",
                "failure": report.firstFailure.map { failure in AppStoreJSON { failure.writeFailure(to: &$0) } }
                    ?? .null,
            ]
            if isReportRequested { object = Self.object(of: report, entitlements: report.entitlements) }
            object["recorded"] = false
            return Response(json: .object(object), status: .badRequest)
        }
        try context.access.check(data.bundleIdentifier)
        let (ledger, recorded) = try await service.read { () throws(StoreError) -> PurchaseLedger? in
            guard isReportRequested else { return nil }
            return try await service.ledger(
                for: data, expecting: expectations, history: service.history(for: context))
        } thenRecord: {
            try await service.record(
                CustomerEvidence(notifications: [notification]),
                from: service.source(ofNotificationOf: data.bundleIdentifier, body: body), in: context)
        }
        let claims = notification.notification.claims
        let isUnknown = claims.subject == nil && claims.unclaimInfo == nil
        let outcome: NotificationOutcome =
            !recorded.isStored ? .notStored : !recorded.isNew ? .repeated : isUnknown ? .unknown : .new
        let type = claims.notificationType?.rawValue ?? "none"
        service.metrics.countNotification(outcome, type: type)
        let metadata: Logger.Metadata = [
            "type": "\(type)", "subtype": "\(claims.subtype?.rawValue ?? "none")", "outcome": "\(outcome.rawValue)",
        ]
        if outcome == .new || outcome == .unknown {
            context.logger.log(
                level: isUnknown ? .notice : .info,
                isUnknown ? "Notification of an unknown kind accepted" : "Notification accepted", metadata: metadata)
        } else {
            // Anyone who has seen one may send it again.
            service.rejections.log("Notification accepted", metadata: metadata, logger: context.logger)
        }
        // The App Store only reads the status.
        let entitlements = ledger.map { Entitlements($0, now: report.entitlementDate) }
        guard isReportRequested else { return Response(json: [:]) }
        var object = Self.object(of: report, entitlements: entitlements)
        // The App Store repeats a notification until it gets a 2xx status. New evidence in a repetition is recorded.
        object["recorded"] = .boolean(recorded.isStored)
        object["repeated"] = .boolean(recorded.isStored && !recorded.isNew)
        return Response(json: .object(object))
    }

    private static func object(of report: SignedDataReport, entitlements: Entitlements?) -> AppStoreJSON.Object {
        AppStoreJSON { report.write(to: &$0, entitlements: entitlements) }.object ?? [:]
    }
}
#endif
