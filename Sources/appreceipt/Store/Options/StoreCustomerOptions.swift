import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

/// The customer of the requests: an identifier, or a receipt that contains one.
@available(AppStoreServerAPI 1.0, *)
struct StoreCustomerOptions: ParsableArguments {
    @Argument(
        help: "A transaction identifier or original transaction identifier of the customer.",
        transform: ArgumentConversion.transactionIdentifier)
    var id: String?

    @Option(
        help: .file(
            "A receipt, instead of the identifier. It is verified first; then the original transaction of its newest "
                + "purchase is used, in the receipt's environment."),
        completion: .file())
    var receipt: String?

    func validate() throws {
        guard (id == nil) != (receipt == nil) else {
            throw ValidationError(
                "Expected either an identifier or --receipt. An identifier has digits only, for example "
                    + "2000000000000001."
            )
        }
    }

    /// Returns the identifier.
    ///
    /// - Throws: `ExitCode` 66 if the receipt can't be read, 1 if it isn't valid or contains no purchase.
    func customer(_ options: StoreOptions, now: Date = Date()) throws -> StoreCustomer {
        guard let receipt else { return StoreCustomer(identifier: id ?? "", environments: options.environments) }
        let source = try StoreFailure.reading("--receipt", format: options.format) { try InputReader.item(receipt) }
            .map { Array($0.bytes) }
        let verifier = ReceiptVerifier(anchors: try options.anchors)
        do throws(StoreFailure) {
            return try StoreCustomer(
                receipt: source, verifier: verifier,
                bundleIdentifier: options.bundleID, environment: options.environment?.base, now: now)
        } catch {
            throw error.exit(options.format)
        }
    }
}

/// An identifier of a customer, and the environments of requests about it.
@available(AppStoreServerAPI 1.0, *)
struct StoreCustomer {
    let identifier: String
    let environments: [AppStoreEnvironment]

    init(identifier: String, environments: [AppStoreEnvironment]) {
        self.identifier = identifier
        self.environments = environments
    }

    /// Finds the identifier in a receipt, after verifying it.
    ///
    /// - Parameter environment: The environment that the receipt must be from; nil for the receipt's.
    init(
        receipt source: Result<[UInt8], ReceiptError>, verifier: ReceiptVerifier, bundleIdentifier: String,
        environment: AppStoreEnvironment?, now: Date
    ) throws(StoreFailure) {
        let expectations = Expectations(
            bundleIdentifier: [bundleIdentifier],
            environments: environment.map { .only([$0]) } ?? .anyEnvironment)
        let report = verifier.report(source: source, expecting: expectations, now: now)
        let receipt: VerifiedReceipt
        switch report.result {
        case .success(let verified): receipt = verified
        case .failure(let error):
            // The message of the check contains the actual and expected values.
            throw StoreFailure(error, message: report.firstFailure?.message)
        }
        guard let environment = receipt.environment else {
            throw StoreFailure(
                ReceiptError(receipt.receipt.environment == nil ? .environmentMissing : .environmentUnknown))
        }
        let newest = receipt.purchases.max {
            ($0.purchaseDate ?? .distantPast) < ($1.purchaseDate ?? .distantPast)
        }
        guard let identifier = newest?.originalTransactionIdentifier ?? newest?.transactionIdentifier else {
            throw StoreFailure.receiptWithoutPurchases
        }
        self.init(identifier: identifier, environments: [environment])
    }
}
