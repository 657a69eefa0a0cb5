import AppReceiptFoundation
import AppReceiptKit
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// The key, the app, the App Store's addresses and the output. Shared by every subcommand of `store` that uses the key.
@available(AppStoreServerAPI 1.0, *)
struct StoreOptions: ParsableArguments {
    @Option(
        help: .file("The In-App Purchase key of App Store Connect, a .p8 file; - for standard input."),
        completion: .file())
    var key: String

    @Option(help: .id("The identifier of the key, such as 2X9R4HXF34."))
    var keyID: String

    @Option(help: "The issuer identifier, a UUID, which App Store Connect shows above the keys.")
    var issuerID: String

    @Option(help: "The app.", transform: ArgumentConversion.nonEmpty)
    var bundleID: String

    @Option(
        help: .number(
            "The app's App Store identifier, which notifications of production must name. (default: not compared)"))
    var appAppleID: UInt64?

    @Option(
        help:
            "The only environment of the requests. (default: production, then sandbox; some commands: only production)")
    var environment: StoreEnvironment?

    @Option(help: "The address of production, instead of Apple's. http is accepted for this computer only.")
    var baseURL: String?

    @Option(help: "The address of the sandbox. (default: --base-url; without that, Apple's)")
    var sandboxBaseURL: String?

    @Option(
        help: .file(
            "A root certificate (DER or PEM) to trust instead of Apple's, for receipts and responses. May be repeated; "
                + "'apple' means Apple's roots."),
        completion: .file())
    var root: [String] = []

    @Option(help: .seconds("The time limit for the response to one request."))
    var timeout = 30

    @Option(help: .number("How many pages of a list are read at most."))
    var maxPages = 1000

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func validate() throws {
        guard (1...600).contains(timeout) else { throw ValidationError("--timeout: Expected 1 to 600 seconds.") }
        guard (1...1_000_000).contains(maxPages) else {
            throw ValidationError("--max-pages: Expected a number from 1 to 1000000.")
        }
    }

    /// The environments of the requests, in this order.
    var environments: [AppStoreEnvironment] { environment.map { [$0.base] } ?? [.production, .sandbox] }

    var anchors: TrustAnchors {
        get throws { try TrustOptions.anchors(root) }
    }

    /// Reads the key.
    ///
    /// - Throws: `ExitCode` 64 for malformed identifiers, 66 if the file can't be read or doesn't contain a key.
    func signingKey() throws -> AppStoreServerKey {
        do throws(AppStoreServerError) {
            try AppStoreServerKey.validate(keyIdentifier: keyID, issuerIdentifier: issuerID)
        } catch {
            let isKeyRight = AppStoreServerKey.isKeyIdentifier(keyID)
            let options =
                isKeyRight ? "--issuer-id" : UUID(uuidString: issuerID) == nil ? "--key-id, --issuer-id" : "--key-id"
            throw StoreFailure(error, about: options, exitStatus: 64).exit(format)
        }
        let pem = try StoreFailure.reading("--key", format: format) { try InputReader.file(key) }
        do throws(AppStoreServerError) {
            let signing = try AppStoreServerKey(pem: pem, keyIdentifier: keyID, issuerIdentifier: issuerID)
            if let warning = SecretInput.warning(aboutSecretFile: key) { Terminal.note(warning) }
            return signing
        } catch {
            throw StoreFailure(error, about: "--key \(key)", exitStatus: 66).exit(format)
        }
    }

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - environments: The environments of the requests, in this order.
    ///   - transport: Sends the requests.
    ///   - clock: The source of time.
    /// - Throws: `ExitCode` 64 or 66 with a message if the options can't be used.
    func client(
        environments: [AppStoreEnvironment], transport: any AppStoreServerTransport, clock: AppStoreServerClock
    ) throws -> AppStoreServerClient {
        var configuration = AppStoreServerConfiguration()
        configuration.requestTimeout = .seconds(timeout)
        // Somebody waits for the result.
        configuration.callTimeout = .seconds(3 * timeout)
        configuration.maxPages = maxPages
        configuration.clock = clock
        if let production = try address(baseURL, option: "--base-url", for: .production) {
            configuration.endpoints = .init(production: production)
        }
        if let sandbox = try address(sandboxBaseURL, option: "--sandbox-base-url", for: .sandbox) {
            configuration.endpoints.sandbox = sandbox
        }
        let key = try signingKey()
        let verifier = SignedDataVerifier(anchors: try anchors)
        do throws(AppStoreServerError) {
            var client = try AppStoreServerClient(
                key: key, bundleIdentifier: bundleID, appAppleIdentifier: appAppleID, environments: environments,
                transport: transport, verifier: verifier, configuration: configuration)
            if appAppleID == nil { client.appAppleIdentifier = .anyApp }
            return client
        } catch {
            throw StoreFailure(error).exit(format)
        }
    }

    /// - Throws: `ExitCode` 64 with the option whose address can't be used.
    private func address(_ text: String?, option: String, for environment: AppStoreEnvironment) throws -> URL? {
        guard let text else { return nil }
        do throws(AppStoreServerError) {
            return try AppStoreServerConfiguration.Endpoints.address(text, for: environment)
        } catch {
            throw StoreFailure(error, about: option).exit(format)
        }
    }

    /// Sends requests to the App Store, and writes the result or the failure.
    ///
    /// - Parameters:
    ///   - environments: The environments of the requests. Default: those of the options.
    ///   - change: What the request changes; nil if it changes nothing.
    ///   - send: Sends the requests.
    /// - Throws: The exit status, unless it is 0.
    func run(
        environments: [AppStoreEnvironment]? = nil, changing change: StoreChange? = nil,
        _ send: (AppStoreServerClient, StoreProgress) async throws(AppStoreServerError) -> StoreResult
    ) async throws {
        let progress = StoreProgress()
        let client = try client(
            environments: environments ?? self.environments, transport: StoreTransport.make(), clock: progress.clock)
        let result: StoreResult
        do throws(AppStoreServerError) {
            result = try await send(client, progress)
        } catch {
            progress.finish()
            throw StoreFailure(error, changing: change).exit(format)
        }
        progress.finish()
        try result.write(format, now: client.configuration.clock.now())
    }
}

/// An environment that has a server. Xcode's local testing has none.
enum StoreEnvironment: String, ExpressibleByArgument, CaseIterable {
    case production, sandbox

    var base: AppStoreEnvironment { self == .production ? .production : .sandbox }
}

/// The transport of this build.
@available(AppStoreServerAPI 1.0, *)
enum StoreTransport {
    /// - Throws: `ExitCode` 64 in a build that has no HTTP client.
    static func make() throws -> any AppStoreServerTransport {
        #if canImport(Darwin)
        return AppStoreServerClient.URLSessionTransport()
        #elseif Server
        return AppStoreServerClient.AsyncHTTPClientTransport()
        #else
        throw MissingServer.error("an HTTP client")
        #endif
    }
}
