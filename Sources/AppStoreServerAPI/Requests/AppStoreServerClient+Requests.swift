import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Sends a request to the environments in order, until one knows the identifier.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - environment: The only environment to ask; nil for the client's.
    func send(
        _ request: APIRequest, only environment: AppStoreEnvironment? = nil
    ) async throws(AppStoreServerError) -> APIResponse {
        guard environment != .xcode else {
            throw AppStoreServerError(.requestInvalid, message: "Xcode's local testing has no server.")
        }
        let deadline = configuration.clock.now().addingTimeInterval(configuration.callTimeout.inSeconds)
        return try await inFirstEnvironment(of: environment.map { [$0] } ?? environments) {
            (environment) async throws(AppStoreServerError) in
            try await send(request, to: environment, until: deadline)
        }
    }

    /// Sends a request to one environment, and repeats it where that is useful and safe.
    private func send(
        _ request: APIRequest, to environment: AppStoreEnvironment, until deadline: Date
    ) async throws(AppStoreServerError) -> APIResponse {
        var isOutcomeUnknown = false
        do throws(AppStoreServerError) {
            return try await send(request, to: environment, until: deadline, isOutcomeUnknown: &isOutcomeUnknown)
        } catch {
            guard isOutcomeUnknown != error.isOutcomeUnknown else { throw error }
            throw error.with { $0.isOutcomeUnknown = isOutcomeUnknown }
        }
    }

    /// - Parameter isOutcomeUnknown: Set once an attempt may have been carried out. A later attempt doesn't refute
    ///   that.
    private func send(
        _ request: APIRequest, to environment: AppStoreEnvironment, until deadline: Date,
        isOutcomeUnknown: inout Bool
    ) async throws(AppStoreServerError) -> APIResponse {
        var attempt = 1
        var hasRenewedToken = false
        while true {
            try await waitForTurn(request.endpoint, in: environment, until: deadline)
            let token = try tokens.token(at: configuration.clock.now())
            do throws(AppStoreServerError) {
                return try await exchange(request, with: environment, token: token, until: deadline)
            } catch {
                if request.endpoint.rules.changesSomething, error.isOutcomeUnknown { isOutcomeUnknown = true }
                if error.code == .unauthenticated, !hasRenewedToken {
                    hasRenewedToken = true
                    tokens.discard(token)
                    continue
                }
                guard let delay = try delay(beforeRepeating: request, after: error, attempt: attempt, until: deadline)
                else { throw error }
                await onRetry(error, delay)
                try await sleep(delay)
                attempt += 1
            }
        }
    }

    // MARK: One attempt

    private func exchange(
        _ request: APIRequest, with environment: AppStoreEnvironment, token: String, until deadline: Date
    ) async throws(AppStoreServerError) -> APIResponse {
        let remaining = deadline.timeIntervalSince(configuration.clock.now())
        guard remaining > 0 else { throw AppStoreServerError(.timedOut, in: environment) }
        let timeout = Duration.seconds(min(configuration.requestTimeout.inSeconds, remaining))
        let response: AppStoreServerHTTPResponse
        do {
            response = try await transport.send(
                httpRequest(request, environment: environment, token: token, timeout: timeout))
        } catch let error as AppStoreServerTransportError {
            throw AppStoreServerError(
                transport: error, server: baseURL(for: environment).server, in: environment)
        } catch is CancellationError {
            throw AppStoreServerError(.canceled, in: environment) { $0.isOutcomeUnknown = true }
        } catch {
            // Not the error's description, which may contain the request.
            throw AppStoreServerError(
                .unreachable, message: "The transport failed with \(type(of: error)).", in: environment
            ) { $0.isOutcomeUnknown = true }
        }
        return try read(response, to: request, from: environment)
    }

    private func httpRequest(
        _ request: APIRequest, environment: AppStoreEnvironment, token: String, timeout: Duration
    ) -> AppStoreServerHTTPRequest {
        var headers = [
            "Authorization": "Bearer \(token)", "Accept": "application/json", "User-Agent": configuration.userAgent,
        ]
        if request.body != nil { headers["Content-Type"] = "application/json" }
        return AppStoreServerHTTPRequest(
            method: request.endpoint.rules.method, url: baseURL(for: environment).text + request.target,
            headers: headers,
            body: request.body.map { AppStoreJSON.object($0).text() }, timeout: timeout,
            maxResponseBytes: configuration.maxResponseBytes)
    }

    private func read(
        _ response: AppStoreServerHTTPResponse, to request: APIRequest, from environment: AppStoreEnvironment
    ) throws(AppStoreServerError) -> APIResponse {
        guard response.body.count <= configuration.maxResponseBytes else {
            throw AppStoreServerError(.responseTooLarge, in: environment) {
                $0.httpStatus = response.status
                $0.isOutcomeUnknown = true
            }
        }
        guard (200..<300).contains(response.status) else {
            throw AppStoreServerError(response, in: environment, now: configuration.clock.now())
        }
        let object = AppStoreJSON.Object(response: response.body)
        if let object, object["errorCode"] ?? .null != .null {
            let number = object["errorCode"]?.number?.int64.map { " \($0)" } ?? ""
            throw unreadable(
                response, from: environment,
                reason: "It contains Apple's error\(number), but its HTTP status is \(response.status).")
        }
        let changesSomething = request.endpoint.rules.changesSomething
        guard request.endpoint.rules.expectsObject else {
            return APIResponse(environment: environment, object: [:], changesSomething: changesSomething)
        }
        guard let object else { throw unreadable(response, from: environment) }
        let documented = request.endpoint.rules.members
        guard documented.isEmpty || documented.contains(where: { object[$0] ?? .null != .null }) else {
            throw unreadable(
                response, from: environment, reason: "It has none of the members \(documented.joined(separator: ", "))."
            )
        }
        return APIResponse(environment: environment, object: object, changesSomething: changesSomething)
    }

    private func unreadable(
        _ response: AppStoreServerHTTPResponse, from environment: AppStoreEnvironment, reason: String? = nil
    ) -> AppStoreServerError {
        let code = AppStoreServerError.Code.responseUnreadable
        return AppStoreServerError(code, message: reason.map { "\(code.cause) \($0)" }, in: environment) {
            $0.httpStatus = response.status
            $0.isOutcomeUnknown = true
        }
    }

    // MARK: Waiting

    /// Waits until the limit of requests allows another one.
    private func waitForTurn(
        _ endpoint: APIRequest.Endpoint, in environment: AppStoreEnvironment, until deadline: Date
    ) async throws(AppStoreServerError) {
        guard !Task.isCancelled else { throw AppStoreServerError(.canceled, in: environment) }
        let key = RateLimiter.Key(environment: environment, endpoint: endpoint)
        switch limiter.reserve(key, now: configuration.clock.now(), deadline: deadline) {
        case .wait(let seconds) where seconds > 0:
            do throws(AppStoreServerError) {
                try await sleep(.seconds(seconds))
            } catch {
                limiter.giveBack(key)
                throw error
            }
        case .wait: break
        case .tooLong(let date):
            throw AppStoreServerError(
                .rateLimited, message: "Too many requests wait for this endpoint.", in: environment
            ) { $0.retryDate = date }
        }
    }

    /// Returns the wait before a request is repeated, or nil if it isn't repeated.
    ///
    /// - Throws: The error with the date of the next request, if the App Store requires a longer wait than the client
    ///   accepts.
    private func delay(
        beforeRepeating request: APIRequest, after error: AppStoreServerError, attempt: Int, until deadline: Date
    ) throws(AppStoreServerError) -> Duration? {
        let policy = configuration.retryPolicy
        let now = configuration.clock.now()
        if error.code == .rateLimited, let date = error.retryDate, let environment = error.environment {
            // Other tasks of this client wait too, but not longer than a request may take.
            let latest = now.addingTimeInterval(policy.maxRetryAfter.inSeconds)
            limiter.close(
                RateLimiter.Key(environment: environment, endpoint: request.endpoint), until: min(date, latest))
        }
        guard attempt < policy.maxAttempts, error.isRetryable else { return nil }
        guard request.endpoint.rules.isSafeToRepeat || error.provesRefusal else { return nil }
        // Apple announces 5000001 as worth a repetition, but not 5000000.
        let skipped = error.appleErrorCode == AppStoreServerError.AppleErrorCode.generalInternal ? 3 : 0
        let backoff = policy.delay(afterAttempt: attempt + skipped, random: configuration.random())
        let required = error.retryDate.map { $0.timeIntervalSince(now) } ?? 0
        guard required <= policy.maxRetryAfter.inSeconds else { return nil }
        let delay = max(backoff.inSeconds, required)
        guard now.addingTimeInterval(delay) < deadline else { return nil }
        return .seconds(delay)
    }

    /// Waits. A task that was canceled ends with an error of this library.
    private func sleep(_ duration: Duration) async throws(AppStoreServerError) {
        do {
            try await configuration.clock.sleep(duration)
        } catch {
            throw AppStoreServerError(.canceled)
        }
    }

    // MARK: Environments

    /// Asks the environments in order, until one accepts the app and knows the identifier.
    ///
    /// - Parameters:
    ///   - environments: The environments; nil for the client's.
    ///   - ask: Sends the request.
    ///   - mayContinue: Whether the next environment is tried after a failure. False once a part of the result was
    ///     read.
    package func inFirstEnvironment<Value>(
        of environments: [AppStoreEnvironment]? = nil,
        _ ask: (AppStoreEnvironment) async throws(AppStoreServerError) -> Value,
        mayContinue: () -> Bool = { true }
    ) async throws(AppStoreServerError) -> Value {
        var remaining = (environments ?? self.environments)[...]
        var previous: [AppStoreServerError] = []
        while let environment = remaining.popFirst() {
            do throws(AppStoreServerError) {
                return try await ask(environment)
            } catch {
                guard !remaining.isEmpty, error.permitsNextEnvironment, mayContinue() else {
                    throw error.following(previous)
                }
                previous.append(error)
            }
        }
        throw AppStoreServerError(.configurationInvalid, message: "The client has no environment.")
    }
}
