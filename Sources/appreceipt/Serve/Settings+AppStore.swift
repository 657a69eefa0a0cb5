#if Server
import AppReceiptServer
import AppStoreServerAPI
import ArgumentParser

@available(AppReceiptServer 1.0, *)
extension Settings {
    /// The settings that identify the key. All of them are necessary.
    private static let keyNames = ["store-key", "store-key-id", "store-issuer-id"]

    /// How the App Store is asked; nil if no key is set.
    func appStore() throws -> AppStoreConfiguration? {
        let missing = Self.keyNames.filter { text($0) == nil }
        let others = ["store-refresh", "store-patience", "store-base-url", "store-sandbox-base-url"]
        let isSet = (Self.keyNames + others).first { text($0) != nil }
        guard let isSet else { return nil }
        guard missing.isEmpty, let file = text("store-key"), let identifier = text("store-key-id"),
            let issuer = text("store-issuer-id")
        else {
            let names = missing.map { "--" + $0 }
            let list = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
            throw invalid(isSet, "It requires \(list.joined(separator: " and ")) too.")
        }
        let pem = try InputReader.file(file)
        var configuration: AppStoreConfiguration
        do throws(AppStoreServerError) {
            let key = try AppStoreServerKey(pem: pem, keyIdentifier: identifier, issuerIdentifier: issuer)
            configuration = AppStoreConfiguration(key: key)
            configuration.client.productionURL = text("store-base-url")
            configuration.client.sandboxURL = text("store-sandbox-base-url")
            // Rejects invalid addresses at the start.
            _ = try AppStoreServerClient(
                key: key, bundleIdentifier: "check", transport: configuration.transport,
                configuration: configuration.client)
        } catch {
            throw invalid(isSet, "\(error.message) \(error.remedy)")
        }
        if let seconds = try integer("store-refresh", 1...31_536_000) {
            configuration.refreshInterval = .seconds(seconds)
        }
        if let seconds = try integer("store-patience", 0...60) { configuration.patience = .seconds(seconds) }
        return configuration
    }
}
#endif
