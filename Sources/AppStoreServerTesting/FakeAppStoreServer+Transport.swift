import AppReceiptSupport
public import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer: AppStoreServerTransport {
    /// Responds to a request without waiting.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response.
    /// - Throws: `AppStoreServerTransportError` for a connection that a fault cuts, a delay that exceeds the request's
    ///   timeout, and a response that exceeds the request's limit; `CancellationError`.
    public func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
        try Task.checkCancellation()
        let reply = reply(to: request)
        let dripping = (reply.drip ?? .zero) * reply.response.body.count
        guard reply.delay + dripping <= request.timeout else { throw AppStoreServerTransportError.timedOut }
        guard reply.cut == nil else { throw AppStoreServerTransportError.connectionClosed }
        guard reply.response.body.count <= request.maxResponseBytes else {
            throw AppStoreServerTransportError.responseTooLarge
        }
        return reply.response
    }

    /// Returns the response to a request, and how to deliver it.
    package func reply(to request: AppStoreServerHTTPRequest) -> Reply {
        let target = RequestTarget(request.url)
        let time = now()
        let header = request.headers.first { $0.key.lowercased() == "authorization" }?.value
        let matches = Route.all.compactMap { route in
            route.arguments(in: target.segments).map { (route: route, arguments: $0) }
        }
        let match = matches.first { $0.route.method == request.method.rawValue }
        return state.withLock { state in
            var bundle = ""
            var failure: AuthorizationFailure?
            do throws(AuthorizationFailure) {
                bundle = try Authorization(key: key).bundleIdentifier(in: header, at: time)
                let isApproved = state.apps[bundle]?.isApproved ?? true
                if target.environment == .production, !isApproved { throw .appNotApproved }
            } catch {
                failure = error
            }
            let fault = state.takeFault(
                for: match?.route.endpoint, in: target.environment, isAuthorized: failure == nil)
            var reply: Reply
            if let replaced = Reply(replacing: fault) {
                reply = replaced
            } else if match == nil, !matches.isEmpty {
                reply = Reply(status: 405)
            } else if failure != nil {
                reply = Reply(status: 401)
            } else if let match {
                reply = answer(
                    request, at: target, route: match.route, arguments: match.arguments, app: bundle, fault: fault,
                    in: &state)
            } else {
                reply = Reply(status: 404)
            }
            reply.apply(fault)
            reply.authorizationFailure = failure
            state.log(
                ReceivedRequest(
                    endpoint: match?.route.endpoint, environment: target.environment,
                    method: request.method.rawValue, path: target.path,
                    query: Dictionary(grouping: target.query, by: \.name).mapValues { $0.map(\.value) },
                    body: request.body, authorizationFailure: failure, fault: fault,
                    status: reply.cut == nil ? reply.response.status : nil))
            return reply
        }
    }

    /// Calls an endpoint.
    private func answer(
        _ request: AppStoreServerHTTPRequest, at target: RequestTarget, route: Route, arguments: [String],
        app bundle: String, fault: Fault?, in state: inout State
    ) -> Reply {
        var query = target.query
        var cursor = "endless"
        if case .endlessPages(let newRevision) = fault {
            // Every page is the first one, whatever cursor the client sends.
            let cursors = query.filter { ["revision", "paginationToken"].contains($0.name) }
            query.removeAll { ["revision", "paginationToken"].contains($0.name) }
            cursor = newRevision ? "endless-\(state.nextNumber())" : cursors.first?.value ?? cursor
        }
        let scope = Scope.Name(bundleIdentifier: bundle, environment: target.environment)
        do {
            guard let app = state.apps[bundle] else { throw APIError.appNotFound }
            let call = Call(
                scope: scope, app: app, arguments: arguments, query: query, body: request.body,
                time: now().milliseconds, paginationLifetime: Int64(paginationTokenLifetime * 1000),
                signer: TokenSigner(pki: pki, fault: fault))
            let answer = try route.handler(&state, call)
            return Reply(status: answer.status, json: answer.body?.with(fault, cursor: cursor))
        } catch {
            let error = error as? APIError ?? .generalInternal
            return Reply(status: error.status, json: error.body)
        }
    }
}
