#if Server
import AppReceiptServer
import AppReceiptStore
import Logging

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
func serve() async throws {
    var configuration = ServerConfiguration()
    configuration.bundleIdentifiers = ["com.example.app"]
    configuration.database = .file("/var/lib/receipts/state.sqlite")
    let server = try ReceiptServer(configuration, logger: Logger(label: "receipts"))
    try await server.runService()
}
#endif
