import ArgumentParser

/// The subscription and the offer of promotional offers.
struct StoreOfferProductOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The subscription.", valueName: "id"))
    var product: String

    @Option(help: ArgumentHelp("The offer's identifier in App Store Connect.", valueName: "id"))
    var offer: String
}
