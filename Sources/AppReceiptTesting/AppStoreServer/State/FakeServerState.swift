import AppReceiptSupport
import AppStoreServerAPI

/// Everything that the fake knows.
@available(AppStoreServerAPI 1.0, *)
struct FakeServerState {
    var apps: [String: FakeServerApp] = [:]
    var scopes: [FakeServerScope.Name: FakeServerScope] = [:]
    var faults: [FakeServerQueuedFault] = []
    private(set) var requests: [FakeAppStoreServer.ReceivedRequest] = []
    /// The number of the last change: of a transaction, customer, notification or endless page.
    private(set) var lastNumber = 0

    /// The next number.
    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Appends a request to the log. A fake that runs for long forgets the oldest ones.
    mutating func log(_ request: FakeAppStoreServer.ReceivedRequest) {
        if requests.count >= Self.maxRequests { requests.removeFirst(Self.maxRequests / 2) }
        requests.append(request)
    }

    private static let maxRequests = 10_000

    /// Records that numbers up to this one were given to changes.
    mutating func advance(to number: Int) { lastNumber = max(lastNumber, number) }

    /// Removes the fault of a request from the queue, if there is one for it.
    ///
    /// The first fault that applies is used. Those that come before it count the request too if they skip requests.
    mutating func takeFault(
        for endpoint: FakeAppStoreServer.Endpoint?, in environment: SignedDataEnvironment, isAuthorized: Bool
    ) -> FakeAppStoreServer.Fault? {
        for (index, queued) in faults.enumerated() {
            guard queued.endpoint == nil || queued.endpoint == endpoint,
                queued.environment == nil || queued.environment == environment,
                isAuthorized || queued.fault.precedesAuthorization
            else { continue }
            guard queued.skipping == 0 else {
                faults[index].skipping -= 1
                continue
            }
            if let remaining = queued.remaining {
                faults[index].remaining = remaining - 1
                if remaining <= 1 { faults.remove(at: index) }
            }
            return queued.fault
        }
        return nil
    }
}
