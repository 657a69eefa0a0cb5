public import AppReceiptFoundation
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// A way in which a response fails or is forged.
    public enum Fault: Sendable, Hashable {
        /// The response is late. In the process nothing waits: the request times out if its timeout is shorter.
        case delay(Duration)
        /// The body arrives a byte at a time, with a pause of this length after each. In the process nothing waits: the
        /// request times out if its timeout is shorter than all pauses together.
        case drip(Duration)
        /// The connection ends without a response.
        case connectionCut
        /// The connection ends in the middle of the response. The request takes effect.
        case connectionCutMidway
        /// An HTML page, as gateways send it with 502, 503 and 504.
        case html(status: Int)
        /// A response without a body, such as 401 or 500.
        case empty(status: Int)
        /// 429 and error 4290000.
        case rateLimit(RetryAfter?)
        /// An error of the API. Its code divided by 10,000 is the HTTP status.
        case error(Int64)
        /// Every page has a successor: with the revision or pagination token of the request, or with a new one each
        /// time.
        case endlessPages(newRevision: Bool)
        /// The signatures of tokens in the response are altered.
        case forgedSignature
        /// The tokens in the response are signed by certificates with the same names and other keys.
        case foreignSigner
        /// The tokens in the response are of this app.
        case otherApp(String)
        /// The tokens in the response are of the other environment.
        case otherEnvironment
        /// The tokens in the response are of a transaction that wasn't requested.
        case otherTransaction
        /// The body is at least this large. It is still JSON.
        case oversized(bytes: Int)
        /// The second half of the body is missing, and its announced length is correct.
        case truncatedJSON
        /// Every object of the response and its tokens contains a member that no version of the API has.
        case unknownMembers
        /// Members with a list of known values have another value.
        case unknownValues
        /// The member `hasMore` is missing.
        case missingHasMore

        /// Whether the fault also affects requests that aren't authorized: it happens before the API reads the request.
        var precedesAuthorization: Bool {
            switch self {
            case .delay, .drip, .connectionCut, .html, .empty, .rateLimit: true
            default: false
            }
        }
    }

    /// The forms of the header `Retry-After`.
    public enum RetryAfter: Sendable, Hashable {
        /// Milliseconds since 1970, as Apple sends it.
        case date(Date)
        /// Seconds to wait, as in RFC 9110.
        case seconds(Int)
    }
}
