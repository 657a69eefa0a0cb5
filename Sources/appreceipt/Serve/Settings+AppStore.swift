#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptServer
import AppStoreServerAPI
import ArgumentParser

@available(AppReceiptServer 1.0, *)
extension Settings {
    /// The settings that identify the key. All of them are necessary.
    private static let keyNames = ["store-key", "store-key-id", "store-issuer-id"]

    /// How requests to the App Store are sent; nil if no key is set.
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
            throw invalid(isSet, message: "Requires \(list.joined(separator: " and ")) too.")
        }
        var configuration = AppStoreConfiguration(key: try key(inFile: file, identifier: identifier, issuer: issuer))
        if let production = try address("store-base-url", for: .production) {
            configuration.client.endpoints = .init(production: production)
        }
        if let sandbox = try address("store-sandbox-base-url", for: .sandbox) {
            configuration.client.endpoints.sandbox = sandbox
        }
        if let seconds = try integer("store-refresh", in: 1...31_536_000) {
            configuration.refreshInterval = .seconds(seconds)
        }
        if let seconds = try integer("store-patience", in: 0...60) { configuration.patience = .seconds(seconds) }
        return configuration
    }

    private func key(inFile file: String, identifier: String, issuer: String) throws -> AppStoreServerKey {
        do throws(AppStoreServerError) {
            try AppStoreServerKey.validate(keyIdentifier: identifier, issuerIdentifier: issuer)
        } catch {
            let isIssuer = AppStoreServerKey.isKeyIdentifier(identifier)
            throw invalid(
                isIssuer ? "store-issuer-id" : "store-key-id",
                message:
                    "\(error.message) App Store Connect shows it \(isIssuer ? "above the keys" : "beside the key").")
        }
        let pem = try InputReader.file(file)
        do throws(AppStoreServerError) {
            return try AppStoreServerKey(pem: pem, keyIdentifier: identifier, issuerIdentifier: issuer)
        } catch {
            throw invalid("store-key", message: "\(file): \(error.message) \(error.remedy)")
        }
    }

    /// The address in a setting.
    private func address(_ name: String, for environment: AppStoreEnvironment) throws -> URL? {
        guard let address = text(name) else { return nil }
        do throws(AppStoreServerError) {
            return try AppStoreServerConfiguration.Endpoints.address(address, for: environment)
        } catch {
            throw invalid(name, message: error.message)
        }
    }
}
#endif
