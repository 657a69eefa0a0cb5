import AppStoreServerAPI
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The values of every offer.
@available(AppStoreServerAPI 1.0, *)
struct StoreOfferOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("An identifier that is used once. (default: a new UUID)", valueName: "uuid"),
        transform: ArgumentConversion.uuid)
    var nonce: UUID?

    @OptionGroup(title: "App Store")
    var store: StoreOptions

    /// Signs an offer.
    ///
    /// - Throws: The exit status if the key or a value can't be used.
    func signed<Value>(
        _ sign: (_ key: AppStoreServerKey, _ nonce: UUID) throws(AppStoreServerError) -> Value
    ) throws -> Value {
        let key = try store.signingKey()
        do throws(AppStoreServerError) {
            return try sign(key, nonce ?? UUID())
        } catch {
            throw StoreFailure(error).exit(.json)
        }
    }
}
