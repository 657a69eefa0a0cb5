#if Server
import AppReceiptKit
import HTTPTypes
import Hummingbird
import Logging
import VerifyReceipt

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension ServerCore {
    /// The app with which something is compared: the one that the request asks for, which must be served; else, of those
    /// that are served, the one that it claims to be for, or the first, with which it then differs.
    ///
    /// - Parameter asked: in each place where the request names one; the last counts.
    func bundle(asked: [String], claimed: () -> String?) throws(Refusal) -> String? {
        let served = configuration.bundleIdentifiers
        guard served.isEmpty || served.isSuperset(of: asked) else {
            throw .badRequest(
                "bundle-not-served",
                "This server does not serve the app that 'bundle-id' names, but \(served.sorted().joined(separator: ", "))."
            )
        }
        if served.isEmpty || !asked.isEmpty { return asked.last }
        if served.count > 1, let claimed = claimed(), served.contains(claimed) { return claimed }
        return served.min()
    }

    /// The environments that are accepted: those that the request asks for, which must be served, or all that are.
    ///
    /// - Parameter asked: in each place where the request names some; the last counts.
    func environments(asked: [Set<ReceiptEnvironment.Base>]) throws(Refusal) -> Set<ReceiptEnvironment.Base> {
        guard asked.allSatisfy({ $0.isSubset(of: configuration.environments) }) else {
            let served = configuration.environments.map(\.rawValue).sorted().joined(separator: ", ")
            throw .badRequest("environment-not-served", "This server serves only \(served).")
        }
        guard let last = asked.last, !last.isEmpty else { return configuration.environments }
        return last
    }

    /// Whether what a receipt proves may go into the history.
    func servesHistory(of verified: VerifiedReceipt) -> Bool {
        verified.environment.map { $0 != .xcode && configuration.environments.contains($0) } ?? false
    }

    /// Waits for something to be written, for `/v1`.
    func recordingForAPI<Value>(
        _ context: ServerContext, _ record: () async throws(StoreError) -> Value
    ) async throws -> Value {
        do {
            return try await recording(record)
        } catch let error as Unrecorded {
            context.logger.error("The database failed", metadata: ["error": "\(error.error)"])
            throw Refusal(.internalServerError, "state-unavailable", "The server could not write to its database.")
        }
    }
}
#endif
