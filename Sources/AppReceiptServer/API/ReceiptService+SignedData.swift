#if Server
import AppReceiptKit
import AppStoreSignedData

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// The expectations for signed data, within what the server serves.
    ///
    /// - Parameters:
    ///   - token: The token, whose claimed app selects one of the served apps if the request names none.
    ///   - bundle: The request's `bundle-id`.
    ///   - environments: The request's `environment`.
    ///   - appAppleIdentifier: The request's `app-apple-id`.
    func signedDataExpectations(
        for token: String, bundle: String? = nil, environments: Set<ReceiptEnvironment.Base>? = nil,
        appAppleIdentifier: UInt64? = nil
    ) throws(APIError) -> SignedDataExpectations {
        let bundle = try self.bundle(requested: bundle) {
            (try? UnverifiedSignedData(parsing: token))?.claims.bundleIdentifier
        }
        let number = appAppleIdentifier ?? configuration.appAppleIdentifier
        return SignedDataExpectations(
            bundleIdentifier: bundle.map { .identifier($0) } ?? .anyBundle,
            environments: .only(try self.environments(requested: environments)),
            appAppleIdentifier: number.map { .identifier($0) } ?? .anyApp)
    }
}
#endif
