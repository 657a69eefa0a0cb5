import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Testing

/// A response of the fake.
@available(AppStoreServerAPI 1.0, *)
struct FakeStoreResponse {
    let raw: AppStoreServerHTTPResponse
    let json: AppStoreJSON.Object

    init(_ raw: AppStoreServerHTTPResponse) {
        self.raw = raw
        json = (try? AppStoreJSON(parsing: raw.body[...]).object) ?? [:]
    }

    var status: Int { raw.status }

    subscript(_ name: String) -> AppStoreJSON? { json[name] }

    /// The verified claims of a token in a member.
    func claims(_ name: String) throws -> AppStoreJSON.Object {
        try Self.claims(of: try #require(json[name]?.string))
    }

    /// The identifiers of the verified transactions of a history.
    var transactions: [String] {
        get throws {
            try (json["signedTransactions"]?.array ?? []).map { token in
                let claims = try Self.claims(of: token.string ?? "")
                return try #require(claims["transactionId"]?.string)
            }
        }
    }

    /// The statuses and originals of all subscriptions.
    var statuses: [String: Int64] {
        var statuses: [String: Int64] = [:]
        for group in json["data"]?.array ?? [] {
            for item in group.object?["lastTransactions"]?.array ?? [] {
                guard let original = item.object?["originalTransactionId"]?.string else { continue }
                statuses[original] = item.object?["status"]?.number?.int64
            }
        }
        return statuses
    }

    /// The verified notifications of a history.
    var notifications: [AppStoreJSON.Object] {
        get throws {
            try (json["notificationHistory"]?.array ?? []).map { item in
                try Self.claims(of: try #require(item.object?["signedPayload"]?.string))
            }
        }
    }

    /// Verifies a token of any kind, and returns its payload.
    static func claims(of token: String) throws -> AppStoreJSON.Object {
        let payload = try payload(of: token)
        let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let expectations = SignedDataExpectations(
            bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
        if payload["notificationType"] != nil {
            _ = try verifier.verifyNotification(token, expecting: expectations)
        } else if payload["receiptType"] != nil {
            _ = try verifier.verifyAppTransaction(token, expecting: expectations)
        } else if payload["autoRenewProductId"] != nil {
            _ = try verifier.verifyRenewalInfo(token, expecting: expectations)
        } else {
            _ = try verifier.verifyTransaction(token, expecting: expectations)
        }
        return payload
    }

    /// The payload of a token, unverified.
    static func payload(of token: String) throws -> AppStoreJSON.Object {
        let segments = token.split(separator: ".")
        try #require(segments.count == 3)
        let payload = try Base64URL.decode(ArraySlice(segments[1].utf8))
        return try #require(try AppStoreJSON(parsing: payload[...]).object)
    }
}
