import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData

/// An item of a response that was rejected.
@available(AppStoreServerAPI 1.0, *)
struct StoreRejection {
    private let index: Int
    private let rejection: Rejection

    /// - Parameter offset: The number of items on earlier pages.
    init(_ item: AppStoreServerClient.RejectedItem, offset: Int = 0) {
        index = item.index + offset
        let reason = item.error.receiptError
        rejection = Rejection(
            input: "item \(index)", code: reason?.code.rawValue ?? item.error.code.rawValue,
            message: reason?.message ?? item.error.message, remedy: CommandLineRemedies.remedy(ofRequest: item.error))
    }

    private var json: AppStoreJSON {
        AppStoreJSON {
            $0.member("index", number: index)
            rejection.writeReason(to: &$0)
        }
    }

    /// The lines about rejected items, and what to do.
    static func lines(_ rejected: [StoreRejection]) -> [String] {
        Rejection.lines(rejected.map(\.rejection), terminal: .output)
    }

    /// The line in place of the customer's products, if everything was rejected.
    static let nothingVerified =
        "What the customer owns isn't known, because nothing in the response could be "
        + "verified."

    /// The JSON of all.
    static func json(_ rejected: [StoreRejection]) -> AppStoreJSON { .array(rejected.map(\.json)) }

    /// What rejected items mean for the rest.
    static func notes(_ rejected: [StoreRejection]) -> [String] {
        rejected.isEmpty ? [] : ["\(rejected.count) rejected: refunds and renewals may be missing."]
    }
}
