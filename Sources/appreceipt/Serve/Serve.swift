#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptServer
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser
import Logging
import VerifyReceipt

/// `appreceipt serve`: verifyReceipt, a JSON API and the web inspector.
@available(AppReceiptServer 1.0, *)
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves verifyReceipt, a JSON API and a web inspector over HTTP.",
        discussion: """
            By default, the server trusts Apple's roots, keeps its state in memory and listens on loopback. Every \
            option can also be set in the environment (--bundle-id as APPRECEIPT_BUNDLE_ID, several values separated \
            by spaces) or in the file of --config, a JSON object ({"bundle-id": ["com.example.app"], "port": 8080}). \
            Only that file has 'apps', with the secrets, keys and webhooks of each app, and 'tokens', with the role \
            and apps of each client. Options take precedence over the environment, and the environment over the file. \
            Secrets are read from files, the environment or that file, not from options, which other users of the \
            machine can see.

              POST /verifyReceipt, /sandbox/verifyReceipt      like Apple's endpoint
              POST /v1/receipts/validate, /v1/receipts/inspect JSON of validate and inspect
              POST /v1/signed-data/verify, /v1/notifications   StoreKit 2 and server notifications
              POST /v1/validator                               the validator of cordova-plugin-purchase
              POST /v1/accounts/ACCOUNT/evidence               records what a customer has
              GET  /v1/accounts/ACCOUNT/entitlements           what a customer owns
              PUT  /v1/accounts/ACCOUNT/purchases/ORIGINAL     binds a purchase to it
              DELETE /v1/accounts/ACCOUNT                      forgets its purchases
              GET  /v1/purchases/ID, /v1/orders/ORDER          a purchase, an order
              GET  /v1/events                                  what changed
              /commerce/v1                                     OpenIAP Commerce Protocol
              GET  /                                           the web inspector
              GET  /healthz, /readyz, /metrics, /openapi.json

            Examples:
              appreceipt serve
              appreceipt serve --bundle-id com.example.app --database state.sqlite
              APPRECEIPT_SHARED_SECRET=… appreceipt serve --config /etc/appreceipt.json
              appreceipt serve --root Samples/root.pem   # receipts of the test kit
              appreceipt serve --check --config /etc/appreceipt.json

            SIGTERM and SIGINT stop the server after the requests in progress are complete. SIGHUP reads the \
            configuration again: apps, tokens, secrets and keys, without closing a connection; an invalid one changes \
            nothing.

            Exit status: 0 stopped, or the configuration is valid, 64 wrong usage, 66 a file that \
            can't be read, or a database that this version can't use, 73 the database or the address isn't available.
            """)

    @Flag(help: "Check the configuration, the files that it names and the database, without serving or changing them.")
    var check = false

    @OptionGroup(title: "Address and state")
    var address: ServeAddressOptions

    @OptionGroup(title: "Apps and clients")
    var content: ServeContentOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "App Store Server API")
    var store: ServeAppStoreOptions

    @OptionGroup(title: "Limits")
    var limits: ServeLimitOptions

    func run() async throws {
        let settings = try settings()
        let configuration = try configuration(settings)
        let logger = try settings.logger()
        for warning in Self.warnings(about: settings, configuration) {
            check ? Terminal.note(warning) : logger.warning("\(warning)")
        }
        if check {
            try Self.checkDatabase(of: configuration, logger: logger)
            Terminal.note("The configuration is valid.")
            for line in Self.notes(on: configuration) { Terminal.note(line) }
            if configuration.appStore != nil {
                Terminal.note("The key wasn't tried: --check doesn't connect to the App Store.")
            }
            return
        }
        let notes = LockedValueBox(Self.notes(on: configuration))
        let server: ReceiptServer
        do {
            server = try ReceiptServer(
                configuration, logger: logger,
                reload: { try self.reloaded(from: settings, noted: notes, logger: logger) }
            ) { port in
                settings.report("Listening on http://\(Self.urlHost(of: configuration)):\(port)/", to: logger)
                for line in notes.withLock({ $0 }) { logger.notice("\(line)") }
            }
        } catch {
            throw Self.exitStatus(reporting: error, of: configuration)
        }
        do {
            try await server.runService()
        } catch let error as ListeningFailure {
            Terminal.printError("\(error) Set them with --host and --port.")
            throw ExitCode(73)
        }
    }

    private func settings() throws -> Settings {
        try Settings(
            options: address.values + content.values + trustValues + store.values + limits.values, file: address.config)
    }

    /// Warnings about secrets.
    private static func warnings(about settings: Settings, _ configuration: ServerConfiguration) -> [String] {
        let files = Set(settings.secretFiles).sorted().compactMap { SecretInput.warning(aboutSecretFile: $0) }
        let tokens = configuration.tokens.filter(\.secret.isShort).map { token in
            "The token \"\(token.name)\" has fewer than 20 characters, so it may be guessed. Replace it with a random "
                + "one: openssl rand -hex 32"
        }
        return files + tokens
    }

    /// Returns the configuration as it is now. What is wrong is part of the log, not text between its lines.
    ///
    /// - Parameters:
    ///   - started: The settings with which the server started.
    ///   - notes: The notes on the current configuration. A new one is a warning: a reload may open what was closed.
    ///   - logger: The log.
    private func reloaded(
        from started: Settings, noted notes: LockedValueBox<[String]>, logger: Logger
    ) throws -> ServerConfiguration {
        let (result, lines) = Terminal.collectingLines {
            let settings = try settings()
            return (settings, try configuration(settings))
        }
        switch result {
        case .success(let (settings, configuration)):
            let added = notes.withLock { known in
                let current = Self.notes(on: configuration)
                defer { known = current }
                return current.filter { !known.contains($0) }
            }
            for line in lines + Self.warnings(about: settings, configuration) + added { logger.warning("\(line)") }
            // The server compares the others.
            let kept = ["log-level", "log-format"].filter { settings.all($0)?.texts != started.all($0)?.texts }
            if !kept.isEmpty {
                logger.warning(
                    "Some settings need a restart", metadata: ["settings": "\(kept.joined(separator: ", "))"])
            }
            return configuration
        case .failure(let error):
            throw lines.isEmpty ? error : InvalidConfiguration(description: lines.joined(separator: " "))
        }
    }

    /// The reason why a configuration is invalid. Contains no secrets.
    private struct InvalidConfiguration: Error, CustomStringConvertible {
        let description: String
    }

    private func configuration(_ settings: Settings) throws -> ServerConfiguration {
        var configuration = try settings.configuration()
        configuration.version = AppReceiptCommand.configuration.version
        return configuration
    }

    /// Checks that the database can be created, or opened and written, without doing so.
    private static func checkDatabase(of configuration: ServerConfiguration, logger: Logger) throws {
        do throws(StoreError) {
            if case .file(let path) = configuration.database, DatabaseFailure.obstacle(to: path) != nil {
                throw .cannotOpen
            }
            try ReceiptServer.checkDatabase(of: configuration, logger: logger)
        } catch {
            throw exitStatus(reporting: error, of: configuration)
        }
    }

    /// Reports that the database can't be used.
    private static func exitStatus(reporting error: StoreError, of configuration: ServerConfiguration) -> ExitCode {
        let failure = DatabaseFailure(of: configuration.database, error)
        failure.report()
        return failure.exitStatus
    }

    private var trustValues: [SettingOption] {
        [
            SettingOption("root", list: trust.root), SettingOption("trust-xcode", text: trust.trustXcode),
            SettingOption("transaction-intermediate", list: trust.transactionIntermediate),
        ]
    }

    /// Returns the host as written in a URL.
    private static func urlHost(of configuration: ServerConfiguration) -> String {
        configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    }

    /// Returns sentences about defaults that may be unexpected.
    private static func notes(on configuration: ServerConfiguration) -> [String] {
        var notes: [String] = []
        if configuration.servesInspector {
            notes.append("The web inspector is at the server's address.")
            if Authority(urlHost(of: configuration))?.isLoopback == false, configuration.allowedHosts.isEmpty {
                notes.append("Browsers can use the page only as localhost; --allowed-host allows another name.")
            }
        }
        if configuration.database == nil {
            notes.append("The state is in memory and lost when the server stops; --database FILE keeps it.")
        }
        if configuration.bundleIdentifiers.isEmpty {
            notes.append("Receipts of every app are accepted; --bundle-id restricts them.")
        }
        let roots = TrustedRoots(configuration.anchors)
        if roots.excludesApple {
            notes.append(
                "Trusted: \(roots.names). Receipts from Apple get 21003; the value 'apple' of the setting root adds "
                    + "Apple's roots."
            )
        }
        if let appStore = configuration.appStore {
            notes += Self.notes(on: appStore, configuration.environments)
        } else {
            notes.append(
                "Without a key for the App Store, responses contain only what clients and notifications sent; "
                    + "--store-key completes them."
            )
        }
        let open = configuration.apps.filter(\.sharedSecrets.isEmpty).map(\.bundleIdentifier)
        if configuration.sharedSecret == nil, !open.isEmpty || configuration.apps.isEmpty {
            let isForSome = open.count < configuration.apps.count
            notes.append(
                "verifyReceipt doesn't require a shared secret"
                    + (isForSome ? " for \(open.joined(separator: ", "))." : "."))
        }
        if configuration.tokens.isEmpty { notes.append("/v1 doesn't require a token.") }
        return notes
    }

    private static func notes(
        on appStore: AppStoreConfiguration, _ environments: Set<AppStoreEnvironment>
    ) -> [String] {
        let client = appStore.client
        let identifier = appStore.key?.keyIdentifier
        let hosts = [
            (AppStoreEnvironment.production, client.endpoints.production),
            (.sandbox, client.endpoints.sandbox),
        ].filter { environments.contains($0.0) }.map { "\($0.1.absoluteString) (\($0.0.rawValue))" }
        var notes = [
            "Requests about purchases go to \(hosts.joined(separator: " and ")) with "
                + "\(identifier.map { "the key \($0)" } ?? "the keys of the apps"), at most "
                + "every \(appStore.refreshInterval.components.seconds) s for each purchase. Responses wait for them "
                + "up to \(appStore.patience.components.seconds) s."
        ]
        if let identifier, identifier.utf8.count != 10 {
            notes.append(
                "The key identifier has \(identifier.utf8.count) characters. Apple's have 10, so the App Store may "
                    + "reject it; check --store-key-id."
            )
        }
        return notes
    }
}
#endif
