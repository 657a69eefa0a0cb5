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

    /// Returns the requests to the App Store; nil if no key is set.
    ///
    /// - Parameter apps: The apps, which may have keys of their own.
    func appStore(for apps: [AppConfiguration]) throws -> AppStoreConfiguration? {
        let missing = Self.keyNames.filter { text($0) == nil }
        let others = ["store-refresh", "store-patience", "store-base-url", "store-sandbox-base-url"]
        let isSet = (Self.keyNames + others).first { text($0) != nil }
        let hasOwnKeys = apps.contains { $0.storeKey != nil }
        guard isSet != nil || hasOwnKeys else { return nil }
        if hasOwnKeys, missing.count == Self.keyNames.count { return try appStore(key: nil) }
        guard missing.isEmpty, let file = text("store-key"), let identifier = text("store-key-id"),
            let issuer = text("store-issuer-id")
        else {
            let names = missing.map { "--" + $0 }
            let list = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
            throw invalid(isSet ?? "store-key", message: "Requires \(list.joined(separator: " and ")) too.")
        }
        return try appStore(
            key: key(inFile: file, identifier: identifier, issuer: issuer, source: source(of: "store-key")) {
                invalid($0, message: $1)
            })
    }

    private func appStore(key: AppStoreServerKey?) throws -> AppStoreConfiguration {
        var configuration = AppStoreConfiguration(key: key)
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

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - identifier: The key's identifier.
    ///   - issuer: The issuer's identifier.
    ///   - source: The setting that names the file.
    ///   - invalid: Reports an invalid setting: its name, and a message.
    func key(
        inFile file: String, identifier: String, issuer: String, source: String,
        invalid: (String, String) -> ExitCode
    ) throws -> AppStoreServerKey {
        do throws(AppStoreServerError) {
            try AppStoreServerKey.validate(keyIdentifier: identifier, issuerIdentifier: issuer)
        } catch {
            let isIssuer = AppStoreServerKey.isKeyIdentifier(identifier)
            throw invalid(
                isIssuer ? "store-issuer-id" : "store-key-id",
                "\(error.message) App Store Connect shows it \(isIssuer ? "above the keys" : "beside the key").")
        }
        let pem = try InputReader.file(file, named: "\(source): \(file)")
        do throws(AppStoreServerError) {
            return try AppStoreServerKey(pem: pem, keyIdentifier: identifier, issuerIdentifier: issuer)
        } catch {
            throw invalid("store-key", "\(file): \(error.message) \(error.remedy)")
        }
    }

    /// Returns the address in a setting.
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
