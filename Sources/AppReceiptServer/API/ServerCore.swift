#if Server
import AppReceiptKit
import AppStoreSignedData
import HTTPTypes
import Hummingbird
import Logging
import NIOPosix
import VerifyReceipt

/// What all routes share: whom to trust, what is known, and how much may be in the works.
@available(AppReceiptServer 1.0, *)
struct ServerCore: Sendable {
    let configuration: ServerConfiguration
    let receipts: ReceiptVerifier
    let signedData: SignedDataVerifier
    let store: TransactionStore
    let metrics: ServerMetrics
    let admission: Admission

    init(_ configuration: ServerConfiguration, metrics: ServerMetrics) throws {
        self.configuration = configuration
        self.metrics = metrics
        receipts = ReceiptVerifier(anchors: configuration.anchors, xcode: configuration.xcode)
        signedData = SignedDataVerifier(anchors: configuration.anchors, xcode: configuration.xcode)
        store = try TransactionStore(path: configuration.database, receipts: receipts, signedData: signedData)
        admission = Admission(limits: configuration.limits, metrics: metrics)
    }

    /// Reads a request's body, and then runs `body` on the executor for CPU-bound work, if the limits allow it.
    ///
    /// A request in progress counts once its body is complete, so a slow client occupies a connection and nothing more.
    func withVerificationSlot(
        _ request: Request, _ body: (CollectedBody) async throws -> Response
    ) async throws -> Response {
        let collected = try await CollectedBody.read(request, limits: configuration.limits, admission: admission)
        return try await admission.withVerificationSlot(bodyBytes: collected.bytes.count) {
            // Every test of a debug build checks this.
            assert(MultiThreadedEventLoopGroup.currentEventLoop == nil, "Verification would block an event loop.")
            return try await body(collected).reservingMemory(from: admission)
        }
    }

    /// The same for `/v1`, where a token may be asked for and errors are JSON.
    func withVerificationSlotForAPI(
        _ request: Request, needsToken: Bool = true, _ body: (CollectedBody) async throws -> Response
    ) async throws -> Response {
        if needsToken { try authorize(request) }
        do {
            return try await withVerificationSlot(request, body)
        } catch is CollectedBody.TooLarge {
            throw APIError(
                .contentTooLarge, "body-too-large",
                "The body is larger than the limit of \(configuration.limits.bodyBytes) bytes.")
        }
    }

    /// Asks for the token, if there is one.
    private func authorize(_ request: Request) throws {
        guard let token = configuration.bearerToken else { return }
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        // Compared in constant time.
        guard parts.count == 2, parts[0].lowercased() == "bearer", token.matches(String(parts[1])) else {
            var refusal = APIError(
                .unauthorized, "unauthorized", "Send the token of this server as 'Authorization: Bearer …'.")
            refusal.headers[.wwwAuthenticate] = "Bearer"
            throw refusal
        }
    }

    /// The account for which a request presents something, if the caller says so.
    func account(_ request: Request) throws -> String? {
        guard let account = request.headers[.account], !account.isEmpty else { return nil }
        guard account.utf8.count <= 256 else {
            throw APIError.badRequest("account-too-long", "The header X-Account is longer than 256 bytes.")
        }
        // Of other characters proxies and clients make different bytes.
        guard account.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw APIError.badRequest(
                "account-malformed", "The header X-Account holds something else than visible ASCII characters.")
        }
        return account
    }

    /// Waits for something to be written.
    func recording<Value>(_ record: () async throws(StoreError) -> Value) async throws -> Value {
        do throws(StoreError) {
            return try await record()
        } catch {
            switch error {
            case .busy: throw admission.rejection(.database)
            default: throw Unrecorded(error: error)
            }
        }
    }

    /// The database failed.
    struct Unrecorded: Error { let error: StoreError }
}
#endif
