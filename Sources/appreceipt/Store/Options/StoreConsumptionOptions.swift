import ArgumentParser

/// What both versions of consumption information contain.
struct StoreConsumptionOptions: ParsableArguments {
    @Argument(
        help: "The transaction identifier of the notification.", transform: ArgumentConversion.transactionIdentifier)
    var transaction: String

    @Flag(help: "The customer consented that you send this information to Apple. Required.")
    var customerConsented = false

    @Flag(help: "The customer could try the content before the purchase.")
    var sampleContentProvided = false

    /// Apple accepts only true. Without consent, don't send anything.
    func validate() throws {
        guard !customerConsented else { return }
        throw ValidationError("--customer-consented is required. Without the customer's consent, don't answer at all.")
    }
}
