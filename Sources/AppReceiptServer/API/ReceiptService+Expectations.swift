#if Server
import AppReceiptKit

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// The app to compare with: the requested one, which must be served. If none is requested, the served app that the
    /// data claims to be for; if it claims another one, the first app that is served, so that the comparison fails.
    ///
    /// - Parameters:
    ///   - requested: The request's `bundle-id`, or nil if it has none.
    ///   - claimed: The app that the unverified data names.
    func bundle(requested: String?, claimed: () -> String?) throws(APIError) -> String? {
        let served = configuration.bundleIdentifiers
        guard !served.isEmpty else { return requested }
        if let requested {
            guard served.contains(requested) else {
                throw .badRequest(
                    .bundleNotServed,
                    "This server doesn't serve the app in 'bundle-id'. It serves \(served.sorted().joined(separator: ", "))."
                )
            }
            return requested
        }
        if served.count > 1, let claimed = claimed(), served.contains(claimed) { return claimed }
        return served.min()
    }

    /// The environments to accept: the requested ones, which must be served, or all that are served.
    ///
    /// - Parameter requested: The request's `environment`, or nil if it has none.
    func environments(
        requested: Set<ReceiptEnvironment.Base>?
    ) throws(APIError) -> Set<ReceiptEnvironment.Base> {
        guard let requested else { return configuration.environments }
        guard requested.isSubset(of: configuration.environments) else {
            let served = configuration.environments.map(\.rawValue).sorted().joined(separator: ", ")
            throw .badRequest(.environmentNotServed, "This server serves only \(served).")
        }
        return requested
    }
}
#endif
