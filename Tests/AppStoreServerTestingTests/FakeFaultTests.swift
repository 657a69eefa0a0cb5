import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Faults of the fake App Store server")
struct FakeFaultTests {
    @available(AppStoreServerAPI 1.0, *)
    private func client(_ fault: FakeAppStoreServer.Fault? = nil) -> FakeStoreClient {
        let client = FakeStoreClient()
        client.store.add(
            TestTransaction("plus", transaction: "1", until: client.now + 60), TestAppTransaction(),
            TestRenewalInfo("plus", original: "1"))
        if let fault { client.store.inject(fault) }
        return client
    }

    @Test("A delay within the time limit has no effect, and a longer one is a timeout")
    @available(AppStoreServerAPI 1.0, *)
    func delay() async throws {
        let client = client(.delay(.seconds(3)))
        client.store.inject(.delay(.seconds(3)))
        #expect(try await client.send(.get, "/v1/transactions/1", timeout: .seconds(3)).status == 200)
        await #expect(throws: AppStoreServerTransportError.timedOut) {
            try await client.send(.get, "/v1/transactions/1", timeout: .seconds(2))
        }
    }

    @Test("A body that arrives a byte at a time is a timeout unless all of it arrives within the time limit")
    @available(AppStoreServerAPI 1.0, *)
    func drip() async throws {
        let client = client(.drip(.milliseconds(1)))
        client.store.inject(.drip(.seconds(1)))
        #expect(try await client.send(.get, "/v1/transactions/1").status == 200)
        await #expect(throws: AppStoreServerTransportError.timedOut) {
            try await client.send(.get, "/v1/transactions/1", timeout: .seconds(60))
        }
    }

    @Test("A cut connection is a failure; only a connection cut within the response let the request take effect")
    @available(AppStoreServerAPI 1.0, *)
    func cuts() async throws {
        let client = client(.connectionCut)
        for expected in [Set<String>(), ["1"]] {
            await #expect(throws: AppStoreServerTransportError.self) {
                try await client.send(.post, "/v1/transactions/1/finish")
            }
            #expect(client.store.finishedTransactions() == expected)
            client.store.inject(.connectionCutMidway)
        }
        #expect(client.store.requests.map(\.status) == [nil, nil])
    }

    @Test("A gateway's error is an HTML page", arguments: [502, 503, 504])
    @available(AppStoreServerAPI 1.0, *)
    func html(_ status: Int) async throws {
        let response = try await client(.html(status: status)).send(.get, "/v1/transactions/1")
        #expect(response.status == status)
        #expect(response.raw.headers["content-type"] == "text/html")
        #expect(response.raw.body.starts(with: Array("<html>".utf8)))
    }

    @Test("A response can be empty")
    @available(AppStoreServerAPI 1.0, *)
    func empty() async throws {
        let response = try await client(.empty(status: 500)).send(.get, "/v1/transactions/1")
        #expect(response.raw == AppStoreServerHTTPResponse(status: 500))
    }

    @Test("Retry-After is a date in milliseconds, a number of seconds, or missing")
    @available(AppStoreServerAPI 1.0, *)
    func rateLimit() async throws {
        let client = client(.rateLimit(.date(instant("2024-07-02T15:05:05Z"))))
        client.store.inject(.rateLimit(.seconds(7)))
        client.store.inject(.rateLimit(nil))
        for expected in ["1719932705000", "7", nil] {
            let response = try await client.send(.get, "/v1/transactions/1")
            #expect(response.status == 429)
            #expect(response["errorCode"] == 4_290_000)
            #expect(response.raw.headers["retry-after"] == expected)
        }
    }

    @Test(
        "Every code is an error with its HTTP status and a message",
        arguments: [
            4_000_000, 4_000_031, 4_000_048, 4_000_209, 4_000_227, 4_030_005, 4_040_002, 4_040_010, 4_040_022,
            4_090_001, 4_290_000, 5_000_000, 5_000_001, 4_999_999,
        ] as [Int64])
    @available(AppStoreServerAPI 1.0, *)
    func errors(_ code: Int64) async throws {
        let response = try await client(.error(code)).send(.get, "/v1/transactions/1")
        #expect(response.status == Int(code / 10_000))
        #expect(response["errorCode"]?.number?.int64 == code)
        #expect(response["errorMessage"]?.string?.hasSuffix(".") == true)
    }

    @Test("Pages don't end, with one revision or with a new one each time", arguments: [true, false])
    @available(AppStoreServerAPI 1.0, *)
    func endless(_ newRevision: Bool) async throws {
        let client = client()
        client.store.inject(.endlessPages(newRevision: newRevision), times: nil)
        let body: AppStoreJSON.Object = ["startDate": 1_719_900_000_000, "endDate": 1_719_932_645_000]
        for (method, path, name) in [
            (.get, "/v2/history/1", "revision"), (.get, "/v2/refund/lookup/1", "revision"),
            (.post, "/v1/notifications/history", "paginationToken"),
        ] as [(AppStoreServerHTTPRequest.Method, String, String)] {
            var cursors: [String] = []
            for _ in 1...4 {
                let query = cursors.last.map { "?\(name)=\($0)" } ?? ""
                let response = try await client.send(method, path + query, method == .post ? body : nil)
                #expect(response["hasMore"] == true)
                cursors.append(try #require(response[name]?.string))
            }
            #expect(Set(cursors).count == (newRevision ? 4 : 1))
        }
    }

    @Test("Forged tokens are not accepted, and have the claims that were requested", arguments: [true, false])
    @available(AppStoreServerAPI 1.0, *)
    func forged(_ isAltered: Bool) async throws {
        let client = client(isAltered ? .forgedSignature : .foreignSigner)
        let response = try await client.send(.get, "/v1/transactions/1")
        let token = try #require(response["signedTransactionInfo"]?.string)
        #expect(try FakeStoreResponse.payload(of: token)["transactionId"] == "1")
        let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let error = captured { () throws(ReceiptError) in
            try verifier.verifyTransaction(
                token,
                expecting: SignedDataExpectations(
                    bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp))
        }
        #expect(error?.code == (isAltered ? .signatureInvalid : .intermediateSignatureInvalid))
        _ = try await client.send(.get, "/v1/transactions/1").claims("signedTransactionInfo")
    }

    @Test("Tokens can be genuine and of another app, environment or transaction")
    @available(AppStoreServerAPI 1.0, *)
    func otherTokens() async throws {
        let client = client(.otherApp("com.example.other"))
        client.store.inject(.otherEnvironment)
        client.store.inject(.otherTransaction)
        var claims = try await client.send(.get, "/v1/transactions/1").claims("signedTransactionInfo")
        #expect(claims["bundleId"] == "com.example.other")
        claims = try await client.send(.get, "/v1/transactions/1").claims("signedTransactionInfo")
        #expect(claims["environment"] == "Production")
        claims = try await client.send(.get, "/v1/transactions/1").claims("signedTransactionInfo")
        #expect(claims["transactionId"] == "999999999999999")
        #expect(claims["originalTransactionId"] == "999999999999999")
        claims = try await client.send(.get, "/v1/transactions/1").claims("signedTransactionInfo")
        #expect(claims["transactionId"] == "1")
    }

    @Test("Notifications and app transactions are forged in the same way")
    @available(AppStoreServerAPI 1.0, *)
    func otherKinds() async throws {
        let client = client()
        let token = try #require(
            try await client.send(.post, "/v1/notifications/test")["testNotificationToken"]?.string)
        client.store.inject(.otherApp("com.example.other"))
        client.store.inject(.otherEnvironment)
        client.store.inject(.otherEnvironment)
        let status = "/v1/notifications/test/\(token)"
        var claims = try await client.send(.get, status).claims("signedPayload")
        #expect(claims["data"]?.object?["bundleId"] == "com.example.other")
        claims = try await client.send(.get, status).claims("signedPayload")
        #expect(claims["data"]?.object?["environment"] == "Production")
        claims = try await client.send(.get, "/v1/transactions/appTransactions/1").claims("signedAppTransactionInfo")
        #expect(claims["receiptType"] == "Production")
    }

    @Test("A body that exceeds the request's limit is a failure of the transport, and JSON otherwise")
    @available(AppStoreServerAPI 1.0, *)
    func oversized() async throws {
        let client = client(.oversized(bytes: 3 << 20))
        client.store.inject(.oversized(bytes: 5 << 20))
        let response = try await client.send(.get, "/v2/history/1")
        #expect(response.raw.body.count > 3 << 20)
        #expect(response["padding"] != nil)
        await #expect(throws: AppStoreServerTransportError.responseTooLarge) {
            try await client.send(.get, "/v2/history/1")
        }
    }

    @Test("Truncated JSON is half of the body")
    @available(AppStoreServerAPI 1.0, *)
    func truncated() async throws {
        let client = client(.truncatedJSON)
        let response = try await client.send(.get, "/v2/history/1")
        #expect(response.status == 200)
        #expect(response.json == [:])
        let whole = try await client.send(.get, "/v2/history/1").raw.body
        #expect(response.raw.body.count == whole.count / 2)
    }

    @Test("Unknown members are in every object and in tokens, which are still valid")
    @available(AppStoreServerAPI 1.0, *)
    func unknownMembers() async throws {
        let response = try await client(.unknownMembers).send(.get, "/v1/subscriptions/1")
        #expect(response["futureMember"] != nil)
        let group = response["data"]?.array?.first?.object
        #expect(group?["futureMember"] != nil)
        let item = group?["lastTransactions"]?.array?.first?.object
        #expect(item?["futureMember"] != nil)
        let claims = try FakeStoreResponse.claims(of: #require(item?["signedRenewalInfo"]?.string))
        #expect(claims["futureMember"] != nil)
    }

    @Test("Unknown values are in responses and tokens, which are still valid")
    @available(AppStoreServerAPI 1.0, *)
    func unknownValues() async throws {
        let response = try await client(.unknownValues).send(.get, "/v1/subscriptions/1")
        #expect(response["environment"] == "FutureEnvironment")
        #expect(response.statuses == ["1": 99])
        let item = response["data"]?.array?.first?.object?["lastTransactions"]?.array?.first?.object
        let claims = try FakeStoreResponse.claims(of: #require(item?["signedTransactionInfo"]?.string))
        #expect(claims["inAppOwnershipType"] == "FUTURE_VALUE")
        #expect(claims["environment"] == "Sandbox")
    }

    @Test("hasMore can be missing")
    @available(AppStoreServerAPI 1.0, *)
    func missingHasMore() async throws {
        let response = try await client(.missingHasMore).send(.get, "/v2/history/1")
        #expect(response["hasMore"] == nil)
        #expect(response["revision"] != nil)
    }

    @Test("Faults are used in their order, for their endpoint and environment, as often as requested")
    @available(AppStoreServerAPI 1.0, *)
    func queue() async throws {
        let client = client()
        let store = client.store
        store.inject(.html(status: 502), at: .history, skipping: 1, times: 2)
        store.inject(.error(5_000_001), at: .transaction, in: .production)
        store.inject(.error(4_040_010))
        store.inject(.empty(status: 500), at: .statuses, times: nil)
        store.inject(.empty(status: 500), times: 0)
        #expect(try await client.send(.get, "/v2/history/1").status == 404, "The second request of the endpoint fails")
        for expected in [502, 502, 200] { #expect(try await client.send(.get, "/v2/history/1").status == expected) }
        #expect(try await client.send(.get, "/v1/transactions/1").status == 200)
        for _ in 1...3 { #expect(try await client.send(.get, "/v1/subscriptions/1").status == 500) }
        let production = client.with { $0.environment = .production }
        #expect(try await production.code(.get, "/v1/transactions/1") == 5_000_001)
        #expect(try await production.code(.get, "/v1/transactions/1") == 4_040_010)
        store.removeFaults()
        #expect(try await client.send(.get, "/v1/subscriptions/1").status == 200)
        #expect(store.requests.compactMap(\.fault).count == 7)
    }

    @Test("A request without a valid token gets the faults of gateways only")
    @available(AppStoreServerAPI 1.0, *)
    func authorization() async throws {
        let client = client(.error(5_000_000))
        client.store.inject(.html(status: 503))
        for expected in [503, 401] {
            #expect(try await client.send(.get, "/v1/transactions/1", authorization: "none").status == expected)
        }
        #expect(try await client.code(.get, "/v1/transactions/1") == 5_000_000)
    }

    @Test("The log has each request with its body, fault and status")
    @available(AppStoreServerAPI 1.0, *)
    func log() async throws {
        let client = client(.unknownMembers)
        _ = try await client.send(.put, "/v1/transactions/1/appAccountToken?a=1&a=2", ["appAccountToken": "x"])
        let request = try #require(client.store.requests.first)
        #expect(request.endpoint == .appAccountToken)
        #expect(request.environment == .sandbox)
        #expect(request.method == "PUT")
        #expect(request.path == "/inApps/v1/transactions/1/appAccountToken")
        #expect(request.query == ["a": ["1", "2"]])
        #expect(request.body == Array(#"{"appAccountToken":"x"}"#.utf8))
        #expect(request.authorizationFailure == nil)
        #expect(request.fault == .unknownMembers)
        #expect(request.status == 400)
    }
}
