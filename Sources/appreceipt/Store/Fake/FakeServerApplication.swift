#if Server
import AppReceiptTesting
import AppStoreServerTesting
import ArgumentParser
import Hummingbird
import Logging
import NIOCore

/// Serves the fake over HTTP until the process receives SIGTERM or SIGINT.
@available(AppReceiptServer 1.0, *)
struct FakeServerApplication {
    let store: FakeAppStoreServer
    let port: Int

    /// - Parameter onListening: Called with the port once connections are accepted.
    /// - Throws: `ExitCode` 73 if the address isn't available.
    func run(onListening: @escaping @Sendable (_ port: Int) -> Void) async throws {
        let application = Application(
            responder: FakeServerResponder(store: store),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port), serverName: nil),
            onServerRunning: { onListening($0.localAddress?.port ?? 0) },
            logger: Logger(label: "appreceipt") { _ in SwiftLogNoOpLogHandler() })
        do {
            try await application.runService()
        } catch let error as IOError {
            let reason =
                error.errnoCode == EADDRINUSE
                ? "another process uses this port" : unsafe String(cString: strerror(error.errnoCode))
            Terminal.printError(
                "The fake can't listen on 127.0.0.1, port \(port): \(reason). Choose another --port, or 0 for any that is free."
            )
            throw ExitCode(73)
        }
    }
}
#endif
