import AppStoreServerAPI

/// A fault that waits for its requests.
@available(AppStoreServerAPI 1.0, *)
struct FakeServerQueuedFault {
    let fault: FakeAppStoreServer.Fault
    /// The endpoint; nil for all.
    let endpoint: FakeAppStoreServer.Endpoint?
    /// The environment; nil for both.
    let environment: SignedDataEnvironment?
    /// How many requests pass first.
    var skipping: Int
    /// For how many requests it remains; nil for all.
    var remaining: Int?
}
