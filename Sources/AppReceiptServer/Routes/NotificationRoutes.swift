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

    /// Returns whether the request has `report=true`. Other options are ignored, because the address in App Store
    /// Connect may have some.
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
        let source = Result { () throws(ReceiptError) in try service.signedData.signedPayload(in: body) }
        let expectations = try service.expectations(for: try? source.get())
        let report = service.tracing.verifying {
            service.signedData.report(source: source, as: .notification, expecting: expectations)
        }.withServerRemedies
        guard case .success(.notification(let notification)) = report.result else {
            return reject(report, isReportRequested: isReportRequested, in: context)
        }
        let data = VerifiedSignedData.notification(notification)
        try context.access.check(data.bundleIdentifier)
        let (ledger, recorded) = try await service.read { () throws(StoreError) -> PurchaseLedger? in
            guard isReportRequested else { return nil }
            return try await service.ledger(
                ofSignedData: data, expecting: expectations, history: service.history(for: context))
        } thenRecord: {
            try await service.record(
                CustomerEvidence(notifications: [notification]),
                from: service.source(ofNotificationOf: data.bundleIdentifier, body: body), in: context)
        }
        count(notification.notification.claims, recorded: recorded, logger: context.logger)
        // The App Store only reads the status.
        guard isReportRequested else { return Response(json: [:]) }
        let entitlements = ledger.map { Entitlements($0, now: report.entitlementDate) }
        var object = Self.object(of: report, entitlements: entitlements)
        // The App Store repeats a notification until it gets a 2xx status. New evidence in a repetition is recorded.
        object["recorded"] = .boolean(recorded.isStored)
        object["repeated"] = .boolean(recorded.isStored && !recorded.isNew)
        return Response(json: .object(object))
    }

    /// Counts and logs a notification that isn't valid, and returns the response to it.
    private func reject(_ report: SignedDataReport, isReportRequested: Bool, in context: ServerContext) -> Response {
        service.metrics.countRejectedNotification()
        service.rejections.log(
            "Notification rejected", metadata: ["code": "\(report.failure?.code.rawValue ?? "")"],
            logger: context.logger)
        var object: AppStoreJSON.Object
        if isReportRequested {
            object = Self.object(of: report, entitlements: report.entitlements)
        } else {
            let failure = report.firstFailure.map { failure in AppStoreJSON { failure.writeFailure(to: &$0) } }
            object = ["verdict": "invalid", "failure": failure ?? .null]
        }
        object["recorded"] = false
        return Response(json: .object(object), status: .badRequest)
    }

    /// Counts and logs a notification that was accepted.
    private func count(_ claims: NotificationClaims, recorded: RecordResult, logger: Logger) {
        let outcome = NotificationOutcome(of: claims, recorded: recorded)
        let type = claims.notificationType?.rawValue ?? "none"
        service.metrics.countNotification(outcome, type: type)
        let metadata: Logger.Metadata = [
            "type": "\(type)", "subtype": "\(claims.subtype?.rawValue ?? "none")", "outcome": "\(outcome.rawValue)",
        ]
        switch outcome {
        case .new: logger.info("Notification accepted", metadata: metadata)
        case .unknown: logger.notice("Notification of an unknown kind accepted", metadata: metadata)
        case .repeated, .notStored, .rejected:
            // Anyone who has seen one may send it again.
            service.rejections.log("Notification accepted", metadata: metadata, logger: logger)
        }
    }

    private static func object(of report: SignedDataReport, entitlements: Entitlements?) -> AppStoreJSON.Object {
        AppStoreJSON { report.write(to: &$0, entitlements: entitlements) }.object ?? [:]
    }
}

extension NotificationOutcome {
    /// The outcome of a valid notification.
    ///
    /// - Parameters:
    ///   - claims: Its claims.
    ///   - recorded: The result of recording it.
    fileprivate init(of claims: NotificationClaims, recorded: RecordResult) {
        let isKnownKind = claims.subject != nil || claims.unclaimInfo != nil
        self = !recorded.isStored ? .notStored : !recorded.isNew ? .repeated : isKnownKind ? .new : .unknown
    }
}
#endif
