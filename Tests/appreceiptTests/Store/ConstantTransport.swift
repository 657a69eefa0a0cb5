import AppStoreServerAPI

/// Answers every request with the same successful response.
@available(AppStoreServerAPI 1.0, *)
struct ConstantTransport: AppStoreServerTransport {
    let body: [UInt8]

    func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
        AppStoreServerHTTPResponse(status: 200, body: body)
    }
}
