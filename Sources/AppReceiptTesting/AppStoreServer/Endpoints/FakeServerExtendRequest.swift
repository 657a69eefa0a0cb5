import AppReceiptSupport
import AppStoreServerAPI

/// The members that both requests for extensions have.
@available(AppStoreServerAPI 1.0, *)
struct FakeServerExtendRequest {
    let days: Int64
    let requestIdentifier: String

    init(_ body: JSONObject) throws(FakeServerError) {
        guard let days = body["extendByDays"]?.number?.int64, (1...90).contains(days) else {
            throw .invalidExtendByDays
        }
        guard let reason = body["extendReasonCode"]?.number?.int64, (0...3).contains(reason) else {
            throw .invalidExtendReasonCode
        }
        guard let identifier = body.string("requestIdentifier"), (1...128).contains(identifier.count) else {
            throw .invalidRequestIdentifier
        }
        self.days = days
        requestIdentifier = identifier
    }

    /// The extension in milliseconds.
    var duration: Int64 { days * 86_400_000 }
}
