#if Server
import AppReceiptKit
import AppReceiptServer
import ArgumentParser
import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Serves verifyReceipt, a JSON API and the web inspector.
@available(AppReceiptServer 1.0, *)
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves verifyReceipt, a JSON API and a web inspector over HTTP.",
        discussion: """
            Needs no set-up: it trusts Apple's roots, keeps its state in memory and listens on loopback. Every option may \
            also stand in the environment (--bundle-id as APPRECEIPT_BUNDLE_ID, several values separated by spaces) or in the \
            file that --config names, a JSON object ({"bundle-id": ["com.example.app"], "port": 8080}); flags win over the \
            environment, and the environment over the file. Secrets are taken from files, the environment or that file, \
            never from flags, which everybody on the machine can see.

              POST /verifyReceipt, /sandbox/verifyReceipt      as Apple's endpoint
              POST /v1/receipts/validate, /v1/receipts/inspect JSON as of validate and inspect
              POST /v1/signed-data/verify, /v1/notifications   StoreKit 2 and server notifications
              GET  /                                           the web inspector
              GET  /healthz, /readyz, /metrics, /openapi.json

            Examples:
              appreceipt serve
              appreceipt serve --bundle-id com.example.app --database state.sqlite
              APPRECEIPT_SHARED_SECRET=… appreceipt serve --config /etc/appreceipt.json
              appreceipt serve --root Samples/root.pem   # receipts of the test kit

            SIGTERM and SIGINT stop it once the requests in flight are answered.

            Exit status: 0 stopped, 64 wrong usage, 66 unreadable file, 73 the database or the address cannot be had.
            """)

    @OptionGroup(title: "Where")
    var place: PlaceFlags

    @OptionGroup(title: "What is served")
    var served: ServedFlags

    @OptionGroup(title: "Trust")
    var trust: TrustFlags

    @OptionGroup(title: "Limits")
    var limits: LimitFlags

    func run() async throws {
        let settings = try Settings(
            flags: place.values + served.values + trust.values + limits.values, file: place.config)
        let configuration = try settings.configuration()
        let logger = try settings.logger()
        let server: ReceiptServer
        do {
            server = try ReceiptServer(configuration, logger: logger) { port in
                settings.say("Listening on http://\(Self.urlHost(of: configuration)):\(port)/", logger)
                for line in Self.remarks(on: configuration) { settings.say(line, logger) }
            }
        } catch {
            Terminal.complain("\(configuration.database ?? "The database"): \(error)")
            throw ExitCode(73)
        }
        do {
            try await server.runUntilSignalled()
        } catch let error as ListeningFailure {
            Terminal.complain("\(error) Set them with --host and --port.")
            throw ExitCode(73)
        }
    }

    /// The host as it is in a URL.
    private static func urlHost(of configuration: ServerConfiguration) -> String {
        configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    }

    /// What whoever started it may not know.
    private static func remarks(on configuration: ServerConfiguration) -> [String] {
        var remarks: [String] = []
        if configuration.servesInspector {
            remarks.append("The page at that address is the web inspector.")
            if Authority(urlHost(of: configuration))?.isLoopback == false, configuration.allowedHosts.isEmpty {
                remarks.append("Browsers can use the page as localhost only; --allowed-host allows another name.")
            }
        }
        if configuration.database == nil {
            remarks.append("The state is in memory and gone with the process; --database FILE keeps it.")
        }
        if configuration.bundleIdentifiers.isEmpty {
            remarks.append("Receipts of every app are answered; --bundle-id says whose.")
        }
        if configuration.sharedSecret == nil { remarks.append("verifyReceipt asks for no shared secret.") }
        if configuration.bearerToken == nil { remarks.append("/v1 asks for no token.") }
        return remarks
    }
}
#endif
