#if Server
import AppReceiptKit
import AppReceiptStore
import AppStoreServerAPI
import Logging

@available(AppReceiptServer 1.0, *)
extension AppStoreServerError {
    /// Whether the App Store answers no request about the app with this key, whichever customer the request is about.
    var concernsWholeApp: Bool { [.unauthenticated, .appNotFound, .invalidAppIdentifier].contains(code) }

    /// Whether the App Store couldn't be reached: neither Apple's server responded, nor a working one before it.
    var isOutage: Bool {
        [.unreachable, .timedOut].contains(code) || httpStatus.map { (502...504).contains($0) } ?? false
    }

    /// Returns the log's metadata about the failure. Neither the app nor the key's identifier is a secret.
    func metadata(for scope: AppScope, key: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "app": "\(scope.app)", "environment": "\(scope.environment.rawValue)", "error": "\(self)",
        ]
        guard concernsWholeApp else { return metadata }
        metadata["key-id"] = "\(key)"
        metadata["remedy"] = "\(serverRemedy(for: scope))"
        return metadata
    }

    /// Returns the remedy for the operator: the client's remedy knows nothing about settings.
    private func serverRemedy(for scope: AppScope) -> String {
        switch code {
        case .appNotFound, .invalidAppIdentifier:
            "Check the setting 'bundle-id', and that the key belongs to the app's team."
        case .unauthenticated where scope.environment == .production:
            "\(remedy) For such an app, set 'environment' to 'sandbox'."
        default: remedy
        }
    }
}

@available(AppReceiptServer 1.0, *)
extension [AppStoreServerClient.RejectedItem] {
    /// The code of the first item, which tells why the items were rejected.
    var firstCode: String { first.map { ($0.error.receiptError?.code.rawValue ?? $0.error.code.rawValue) } ?? "" }
}
#endif
