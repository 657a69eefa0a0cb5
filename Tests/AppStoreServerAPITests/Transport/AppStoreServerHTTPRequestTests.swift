import AppStoreServerAPI
import Testing

@Suite("AppStoreServerHTTPRequest")
struct AppStoreServerHTTPRequestTests {
    @Test("The description contains neither headers nor body")
    @available(AppStoreServerAPI 1.0, *)
    func description() {
        let request = AppStoreServerHTTPRequest(
            method: .get, url: "https://example.com/inApps/v1/transactions/1",
            headers: ["Authorization": "Bearer secret"], body: Array("body".utf8))
        #expect(request.description == "GET https://example.com/inApps/v1/transactions/1")
    }
}
