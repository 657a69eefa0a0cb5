import AppStoreServerAPI
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// By how much and why subscriptions are extended.
@available(AppStoreServerAPI 1.0, *)
struct StoreExtensionOptions: ParsableArguments {
    @Option(help: "The number of days, 1 to 90.")
    var days: Int

    @Option(help: "The reason for the extension, also as Apple's number 0 to 3.")
    var reason: ExtensionReason

    @Option(
        help: ArgumentHelp("An identifier for this extension. (default: a new UUID)", valueName: "id"),
        transform: ArgumentConversion.nonEmpty)
    var requestID: String?

    /// The reason in the request.
    enum ExtensionReason: String, ExpressibleByArgument, CaseIterable {
        case undeclared
        case customerSatisfaction = "customer-satisfaction"
        case other
        case outage

        /// Creates a reason from its name, or from Apple's number.
        init?(argument: String) {
            if let number = Int(argument) {
                guard Self.allCases.indices.contains(number) else { return nil }
                self = Self.allCases[number]
            } else {
                self.init(rawValue: argument)
            }
        }

        var value: AppStoreServerClient.RenewalExtensionRequest.Reason {
            switch self {
            case .undeclared: .undeclared
            case .customerSatisfaction: .customerSatisfaction
            case .other: .other
            case .outage: .serviceOutage
            }
        }
    }

    func validate() throws {
        guard (1...90).contains(days) else { throw ValidationError("--days: Expected 1 to 90.") }
    }

    /// The identifier of the option, or a new one.
    var requestIdentifier: String { requestID ?? UUID().uuidString.lowercased() }

    func request(_ identifier: String) -> AppStoreServerClient.RenewalExtensionRequest {
        AppStoreServerClient.RenewalExtensionRequest(days: days, reason: reason.value, requestIdentifier: identifier)
    }
}
