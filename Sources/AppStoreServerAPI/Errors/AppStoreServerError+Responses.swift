import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerError {
    /// Creates the error of a transport.
    ///
    /// - Parameter server: The host and the port.
    init(
        transport error: AppStoreServerTransportError, server: String, in environment: AppStoreEnvironment
    ) {
        switch error {
        case .hostNotFound:
            self.init(
                .unreachable, message: "\(server), can't be reached: the host name can't be resolved.", in: environment
            ) { $0.remedy = "Check the host of the base URL, and the computer's name resolution." }
        case .connectionRefused:
            self.init(
                .unreachable, message: "\(server), can't be reached: the connection was refused.", in: environment
            ) {
                $0.remedy = "Check the host and port of the base URL, that a server listens there, and firewalls."
            }
        case .connectionClosed:
            self.init(
                .unreachable, message: "The connection to \(server), was closed before the response was complete.",
                in: environment
            ) {
                $0.remedy = "Try again. If it happens again, check proxies and firewalls before the host."
                $0.isOutcomeUnknown = true
            }
        case .secureConnectionFailed(let cause):
            self.init(
                .unreachable,
                message: "The secure connection (TLS) to \(server), failed: \(Self.printable(cause, max: 200)).",
                in: environment
            ) { $0.remedy = Code.checkTLS }
        case .connectionFailed(let cause):
            var cause = Self.printable(cause, max: 200)
            if cause.hasSuffix(".") { cause.removeLast() }
            self.init(
                .unreachable,
                message:
                    "\(server), can't be reached, or the connection ended before the response was complete. Cause: \(cause).",
                in: environment
            ) { $0.isOutcomeUnknown = true }
        case .timedOut: self.init(Code.timedOut, in: environment) { $0.isOutcomeUnknown = true }
        case .responseTooLarge: self.init(Code.responseTooLarge, in: environment) { $0.isOutcomeUnknown = true }
        }
    }

    /// Creates the error of a response whose status isn't that of a success.
    init(_ response: AppStoreServerHTTPResponse, in environment: AppStoreEnvironment, now: Date) {
        let body = AppStoreJSON.Object(response: response.body)
        let number = body?["errorCode"]?.number?.int64
        let code = Self.code(status: response.status, number: number)
        self.init(code, message: Self.message(code, status: response.status, number: number), in: environment) {
            $0.httpStatus = response.status
            $0.isOutcomeUnknown = !(400..<500).contains(response.status)
            $0.appleErrorCode = number
            $0.appleMessage = body?["errorMessage"]?.string.map { Self.printable($0, max: 500) }
            if let number, AppleErrorCode(number: number) == nil { $0.isRetryable = response.status >= 500 }
            if code == .unauthenticated, environment == .sandbox { $0.remedy = Code.checkKey }
            if response.status == 429 || response.status >= 500 {
                $0.retryDate = response.headers["retry-after"].flatMap { RetryAfter.date($0, now: now) }
            }
        }
    }

    private static func code(status: Int, number: Int64?) -> Code {
        // The body of a 401 contains nothing that helps.
        if status == 401 { return .unauthenticated }
        if status == 429 { return .rateLimited }
        if let number { return AppleErrorCode(number: number)?.code ?? .unknownAppleError }
        return status >= 500 ? .serverError : .responseUnreadable
    }

    private static func message(_ code: Code, status: Int, number: Int64?) -> String? {
        switch code {
        case .unknownAppleError: number.map { "\(code.cause) The number is \($0)." }
        case .responseUnreadable where (300..<400).contains(status): "The response is a redirect, which isn't followed."
        case .responseUnreadable, .serverError: "\(code.cause) The HTTP status is \(status)."
        default: nil
        }
    }

    /// Whether the request is sent to the next environment: the identifier isn't known in this one, or the app isn't.
    var permitsNextEnvironment: Bool { code == .unauthenticated || concernsIdentifier }

    /// Whether the App Store doesn't have the identifier, or what belongs to it, in this environment.
    private var concernsIdentifier: Bool {
        appleErrorCode.flatMap { AppleErrorCode(number: $0) }?.concernsIdentifier ?? false
    }

    /// Whether the response proves that the request had no effect.
    var provesRefusal: Bool { httpStatus.map { (400..<500).contains($0) } ?? false }

    /// Returns the one error to report if this is the failure of the last environment.
    ///
    /// That is the first environment's, unless another response is more specific than that the transaction isn't
    /// known. A last failure that isn't an answer about the identifier, such as a timeout, is reported itself: it
    /// leaves open whether that environment knows the identifier.
    func following(_ previous: [AppStoreServerError]) -> AppStoreServerError {
        guard !previous.isEmpty else { return self }
        var others = previous + [self]
        let answers = others.indices.filter { concernsIdentifier && others[$0].concernsIdentifier }
        let isSpecific = { others[$0].code != .transactionIdentifierNotFound }
        let reported = others.remove(at: answers.first(where: isSpecific) ?? answers.first ?? previous.count)
        return reported.with { details in
            let messages = others.map { error in
                "\(error.environment == .sandbox ? "The sandbox" : "Production") answered: \(error.message)"
            }
            details.message = ([reported.message] + messages).joined(separator: " ")
            details.otherErrors = others
            details.isOutcomeUnknown = reported.isOutcomeUnknown || others.contains(where: \.isOutcomeUnknown)
            guard others.contains(where: { $0.code == .unauthenticated }) else { return }
            if reported.code == .unauthenticated {
                details.remedy = Code.checkKey
            } else {
                details.remedy = """
                    \(reported.remedy) If the purchase is from production, the key isn't accepted there, or the app was never approved for sale.
                    """
            }
        }
    }

    /// Text of the server or transport, shortened and without characters that change how a log is displayed.
    private static func printable(_ text: String, max: Int) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(max) {
            printable.append(scalar.isUnsafeToShow ? " " : scalar)
        }
        return String(printable)
    }
}
