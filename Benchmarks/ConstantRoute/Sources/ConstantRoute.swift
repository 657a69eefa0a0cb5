import Foundation
import Hummingbird

/// A server with one route that returns a constant, as the baseline of `scripts/load.sh --baseline`.
@main
enum ConstantRoute {
    static func main() async throws {
        let router = Router()
        router.get("/healthz") { _, _ in #"{"status":"alive"}"# }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let line = "Listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)/\n"
                FileHandle.standardError.write(Data(line.utf8))
            })
        try await application.runService()
    }
}
