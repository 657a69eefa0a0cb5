#if Server
import Hummingbird

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Creates the router: the middleware and routes of every request.
    func makeRouter() -> Router<ServerContext> {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        let sharing =
            configuration.servesValidator
            ? CrossOriginSharing(allowedOrigins: configuration.allowedOrigins, isShared: ValidatorFailure.isForm(of:))
            : .none
        // From the outside in: each of them sees what the next ones return or throw.
        router.addMiddleware {
            RequestObservation(observer: RequestObserver(metrics: metrics), tracing: tracing)
            CrossOriginHeaders(sharing: sharing)
            ErrorMiddleware(responses: errorResponses)
            RequestChecks(
                crossOriginProtection: CrossOriginProtection(
                    allowedHosts: configuration.allowedHosts, sharing: sharing))
        }

        VerifyReceiptRoutes(service: self).addRoutes(to: router.group())

        let api = router.group("/v1")
        // The App Store and apps have no token of this server. What they send is signed instead.
        NotificationRoutes(service: self).addRoutes(to: api)
        if configuration.servesValidator { ValidatorRoutes(service: self).addRoutes(to: api) }
        func group(for permission: AccessToken.Role.Permission) -> RouterGroup<ServerContext> {
            api.group().add(middleware: Authentication(tokens: configuration.tokens, permission: permission))
        }
        let (validation, reading) = (group(for: .validation), group(for: .reading))
        ReceiptRoutes(service: self).addRoutes(to: validation)
        SignedDataRoutes(service: self).addRoutes(to: validation)
        let accounts = AccountRoutes(service: self)
        accounts.addEvidence(to: validation)
        accounts.addReading(to: reading)
        accounts.addAdministration(to: group(for: .administration))
        PurchaseRoutes(service: self).addRoutes(to: reading)
        OrderRoutes(service: self).addRoutes(to: reading)
        EventRoutes(service: self).addRoutes(to: reading)

        CommerceRoutes(service: self).addRoutes(to: router)
        OperationRoutes(service: self).addRoutes(to: router.group())
        if configuration.servesInspector {
            let inspector = InspectorRoutes(service: self)
            inspector.addRoutes(to: group(for: .page))
            inspector.addPage(to: router.group())
        }
        router.add(middleware: MethodNotAllowed(router.routes))
        return router
    }

    /// The responses to errors, which share the logs of the service.
    var errorResponses: ErrorResponses {
        ErrorResponses(
            limits: configuration.limits, metrics: metrics, databaseFailures: databaseFailures, rejections: rejections)
    }
}
#endif
