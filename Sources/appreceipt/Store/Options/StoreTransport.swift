import AppStoreServerAPI
import ArgumentParser

/// The transport of this build.
@available(AppStoreServerAPI 1.0, *)
enum StoreTransport {
    /// - Throws: `ExitCode` 64 in a build that has no HTTP client.
    static func make() throws -> any AppStoreServerTransport {
        #if canImport(Darwin)
        return URLSessionTransport()
        #elseif Server
        return AsyncHTTPClientTransport()
        #else
        throw UsageError.exit(
            "This appreceipt was built without an HTTP client. Build it with: swift build -c release --traits Server --product appreceipt"
        )
        #endif
    }
}
