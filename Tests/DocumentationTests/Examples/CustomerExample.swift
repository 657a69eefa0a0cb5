import AppStoreServerAPI

/// Create one client for each app, and share it.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func makeClient(
    privateKey: String, transport: any AppStoreServerTransport
) throws(AppStoreServerError) -> AppStoreServerClient {
    let key = try AppStoreServerKey(
        pem: privateKey, keyIdentifier: "2X9R4HXF34", issuerIdentifier: "57246542-96fe-1a63-e053-0824d011072a")
    return try AppStoreServerClient(
        key: key, bundleIdentifier: "com.example.app", appAppleIdentifier: 1_234_567_890, transport: transport)
}

/// Returns what the customer owns now, who made this transaction.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func products(ofCustomer transactionIdentifier: String, client: AppStoreServerClient) async -> [String] {
    do throws(AppStoreServerError) {
        let customer = try await client.purchases(ofCustomer: transactionIdentifier)
        return customer.entitlements.active.map(\.productIdentifier)
    } catch {
        print("\(error) \(error.remedy)")  // no keys, no tokens, no identifiers
        return []
    }
}
