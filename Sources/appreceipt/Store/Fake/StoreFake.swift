#if Server
import AppReceiptTesting
import AppStoreServerTesting
import ArgumentParser

/// `appreceipt store fake`: a fake of Apple's server for the App Store Server API.
@available(AppReceiptServer 1.0, *)
struct StoreFake: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fake",
        abstract: "Serves a fake of Apple's server for the App Store Server API over HTTP, for tests.",
        discussion: """
            Production is at / and the sandbox at /sandbox. Responses are signed by the test kit, and requests need a token of \
            the key that --out writes. Without --data, both environments have a customer with the transactions 2000000000000001 \
            and following. The key is the same for everybody and never secret. Other files of these names in the folder are never \
            overwritten. The server listens on loopback only. The addresses, the options for 'appreceipt store' and one line \
            for each request are on standard error.

            --fault ENDPOINT:FAULT[:COUNT] makes requests fail, in the order of the options, one fault for each request. COUNT \
            is a number (1 if it is missing) or always. Both environments share the faults.

            Endpoints: any, \(FakeAppStoreServer.Endpoint.allCases.map(\.rawValue).joined(separator: ", ")).

            Faults:
            \(FaultArgument.help)

            Examples:
              appreceipt store fake --port 8080 --out test-store
              appreceipt store fake --out test-store --data scenario.json --fault history:502:2 --fault any:delay=3
              appreceipt store fake --out test-store --fault statuses:4040010 --fault history:endless:always

            SIGTERM and SIGINT stop the server.

            Exit status: 0 stopped, 64 wrong usage or invalid data, 66 unreadable file, 73 the address or the folder isn't available, or
            the folder has a key or root of something else.
            """)

    @Option(help: .number("The port on loopback; 0 for any that is free."))
    var port = 0

    @Option(help: "The app's bundle identifier. (default: com.example.app)", transform: ArgumentConversion.nonEmpty)
    var bundleID = "com.example.app"

    @Option(help: .number("The app's App Store identifier."))
    var appAppleID: UInt64 = 1_234_567_890

    @Option(
        help: .file(
            "A JSON document with apps, customers, orders and notifications, with Apple's member names; - for standard input."
        ))
    var data: String?

    @Option(
        help: ArgumentHelp("A fault for the next requests. May be repeated.", valueName: "endpoint:fault[:count]"),
        transform: FaultArgument.init)
    var fault: [FaultArgument] = []

    @Flag(help: "Answer 401 in production, as for an app that was never approved for sale.")
    var neverApproved = false

    @Option(
        help: .folder(
            "The folder for key.p8, root.pem and root.cer, created if necessary. Without it, no request is authorized.")
    )
    var out: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port: Expected a number from 0 to 65535.") }
    }

    func run() async throws {
        let store = FakeAppStoreServer(bundleIdentifier: bundleID, appAppleIdentifier: appAppleID)
        if let data {
            let json = try InputReader.file(data)
            do throws(FakeAppStoreServer.ScenarioError) {
                try store.addScenario(json)
            } catch {
                throw UsageError.exit("\(data): \(error)")
            }
        } else {
            store.addSample()
        }
        if neverApproved { store.setApproved(false, app: bundleID) }
        for fault in fault { store.inject(fault.fault, at: fault.endpoint, times: fault.count) }
        let files = try out.map { try StoreFakeFiles(store, folder: $0) }
        try await FakeServerApplication(store: store, port: port).run { port in
            Terminal.note("Listening on http://127.0.0.1:\(port)/")
            Terminal.note("Production is at this address, the sandbox at http://127.0.0.1:\(port)/sandbox")
            Terminal.note(
                files.map { "Options: \($0.options(port: port, bundleIdentifier: bundleID))" }
                    ?? "Without --out there is no key, so every request gets 401.")
        }
    }
}
#endif
