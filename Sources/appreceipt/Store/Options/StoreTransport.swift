import AppStoreServerAPI
import ArgumentParser

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
