/// A finished extension of the renewal dates of all subscribers of a product.
struct FakeServerMassExtension {
    let requestIdentifier: String
    let product: String
    /// When it was completed, in milliseconds.
    let completion: Int64
    let succeeded: Int
    let failed: Int
}
