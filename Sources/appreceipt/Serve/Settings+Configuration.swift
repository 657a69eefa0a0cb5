#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptServer
import ArgumentParser
import Logging
import VerifyReceipt

@available(AppReceiptServer 1.0, *)
extension Settings {
    /// Returns the configuration of the server.
    func configuration() throws -> ServerConfiguration {
        var configuration = ServerConfiguration()
        if let host = text("host") { configuration.host = host }
        if let port = try integer("port", in: 0...65_535) { configuration.port = port }
        configuration.allowedHosts = Set(all("allowed-host")?.texts ?? [])
        guard configuration.allowedHosts.allSatisfy({ Authority($0) != nil }) else {
            throw invalid(
                "allowed-host",
                message:
                    "Expected a host with or without a port, for example receipts.example.com or [2001:db8::7]:8080.")
        }
        configuration.allowedOrigins = Set(all("allowed-origin")?.texts ?? [])
        guard configuration.allowedOrigins.allSatisfy({ WebOrigin($0) != nil }) else {
            throw invalid(
                "allowed-origin",
                message:
                    "Expected an origin without a path, for example https://app.example.com or ionic://localhost; null "
                    + "for pages from files, or * for every page.")
        }
        let password = text("database-password-file").map { (file: $0, source: source(of: "database-password-file")) }
        if let database = text("database") {
            configuration.database = try DatabaseInput.location(
                database, source: source(of: "database"), password: password)
        }
        configuration.allowedWebhookHosts = try allowedWebhookHosts()
        configuration.apps = try apps(allowingWebhookHosts: configuration.allowedWebhookHosts)
        let environments = try Self.environments(all("environment")?.texts ?? []) {
            invalid("environment", message: $0)
        }
        if let environments { configuration.environments = environments }
        configuration.acceptsBothEnvironments = try flag("answer-both")
        if configuration.acceptsBothEnvironments, configuration.verifyReceiptEnvironments != .both {
            throw invalid("answer-both", message: "Requires both environments, production and sandbox.")
        }
        if let name = text("renewal-info") {
            guard let renewalInfo = VerifyReceiptResponder.RenewalInfo(rawValue: name) else {
                throw invalid("renewal-info", message: "Expected known or always.")
            }
            configuration.renewalInfo = renewalInfo
        }
        configuration.acceptsSignedTransactions = try flag("accept-signed-transactions")
        configuration.servesInspector = try !flag("no-inspector")
        configuration.servesValidator = try !flag("no-validator")
        configuration.sharedSecret = try secret("shared-secret")
        configuration.tokens = try tokens(of: configuration.apps)
        configuration.hashesAccounts = try flag("hash-accounts")
        configuration.anchors = try TrustOptions.anchors(all("root")?.texts ?? [])
        configuration.xcode = try TrustOptions.xcode(text("trust-xcode"))
        configuration.transactionReceipts = try TrustOptions.transactionReceipts(
            all("transaction-intermediate")?.texts ?? [])
        configuration.appStore = try appStore(for: configuration.apps)
        configuration.limits = try limits()
        configuration.tracing = try tracing()
        return configuration
    }

    /// Returns the hosts to which webhooks may be sent although they aren't public.
    private func allowedWebhookHosts() throws -> Set<String> {
        let hosts = all("allow-webhook-host")?.texts ?? []
        guard hosts.allSatisfy({ WebhookConfiguration.isHost($0) }) else {
            throw invalid(
                "allow-webhook-host",
                message: "Expected a host without scheme, port and brackets, for example localhost, 10.0.0.7 or ::1.")
        }
        return Set(hosts.map { $0.lowercased() })
    }

    /// Returns the export of traces; nil if no collector is set.
    private func tracing() throws -> TracingConfiguration? {
        guard let endpoint = text("otlp-endpoint") else {
            guard text("trace-sample") == nil else {
                throw invalid("trace-sample", message: "Requires --otlp-endpoint too.")
            }
            return nil
        }
        let ratio = text("trace-sample").map { Double($0) } ?? 1
        guard let ratio, (0...1).contains(ratio) else {
            throw invalid("trace-sample", message: "Expected a number from 0 to 1.")
        }
        guard let tracing = TracingConfiguration(endpoint: endpoint, sampleRatio: ratio) else {
            throw invalid(
                "otlp-endpoint",
                message: "Expected an address without a password, query and fragment: http://collector:4318.")
        }
        return tracing
    }

    private func limits() throws -> ServerLimits {
        var limits = ServerLimits()
        if let bytes = try integer("max-body", in: 1024...(64 << 20)) { limits.maxBodyBytes = bytes }
        if let bytes = try integer("max-bodies", in: 1024...(1 << 40)) { limits.maxTotalBodyBytes = bytes }
        if limits.maxTotalBodyBytes < limits.maxBodyBytes {
            throw invalid("max-bodies", message: "It must not be less than the largest body.")
        }
        if let count = try integer("max-connections", in: 1...100_000) { limits.maxConnections = count }
        if let count = try integer("max-requests", in: 1...100_000) { limits.maxRequests = count }
        if let seconds = try integer("idle-timeout", in: 1...86_400) { limits.headTimeout = .seconds(seconds) }
        if let seconds = try integer("body-timeout", in: 1...86_400) { limits.bodyTimeout = .seconds(seconds) }
        if let seconds = try integer("answer-timeout", in: 1...86_400) { limits.responseTimeout = .seconds(seconds) }
        if let seconds = try integer("wait-timeout", in: 1...86_400) { limits.queueTimeout = .seconds(seconds) }
        if let seconds = try integer("stop-timeout", in: 1...86_400) { limits.shutdownTimeout = .seconds(seconds) }
        return limits
    }

    /// Returns a secret, from a file or from the setting itself.
    func secret(_ name: String) throws -> SharedSecret? {
        let file = name + "-file"
        if let path = all(file), let text = all(name) {
            throw Self.invalid("\(path.source) and \(text.source): Set only one of them.")
        }
        if let path = text(file) {
            return SharedSecret(try SecretInput.secret(inFile: path, source: source(of: file)))
        }
        guard let text = text(name) else { return nil }
        return SharedSecret(try SecretInput.secret(text, source: source(of: name)))
    }

    /// Returns the server's logger, which writes to standard error.
    func logger() throws -> Logger {
        let level: Logger.Level
        switch text("log-level") {
        case nil: level = .info
        case let name?:
            guard let value = Logger.Level(rawValue: name) else {
                throw invalid("log-level", message: "Expected trace, debug, info, notice, warning, error or critical.")
            }
            level = value
        }
        var logger: Logger
        switch text("log-format") {
        case nil, "text": logger = Logger(label: "appreceipt") { TextLogHandler(label: $0) }
        case "json": logger = Logger(label: "appreceipt") { _ in JSONLogHandler() }
        default: throw invalid("log-format", message: "Expected text or json.")
        }
        logger.logLevel = level
        return logger
    }

    /// Reports a line to the operator: part of the log if the log is JSON, otherwise text on standard error.
    func report(_ line: String, to logger: Logger) {
        if text("log-format") == "json" { logger.notice("\(line)") } else { Terminal.note(line) }
    }
}
#endif
