import AppReceiptKit
import ArgumentParser

/// An environment that has a server. Xcode's local testing has none.
enum StoreEnvironment: String, ExpressibleByArgument, CaseIterable {
    case production, sandbox

    var base: ReceiptEnvironment.Base { self == .production ? .production : .sandbox }
}
