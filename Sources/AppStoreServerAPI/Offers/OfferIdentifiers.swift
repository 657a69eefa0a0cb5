/// Checks the identifiers of an offer before it is signed.
@available(AppStoreServerAPI 1.0, *)
enum OfferIdentifiers {
    /// - Parameter identifiers: The names and values. None may be empty.
    static func validate(_ identifiers: [(name: String, value: String)]) throws(AppStoreServerError) {
        for (name, value) in identifiers where value.isEmpty {
            throw AppStoreServerError(.requestInvalid, "The \(name) is empty.")
        }
    }
}
