import AppReceiptSupport
import Crypto
import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("Offers")
struct OfferTests {
    private static let nonce = UUID(uuid: (0xA, 0xB, 0xC, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let nonceText = "0a0b0c04-0506-0708-090a-0b0c0d0e0f10"

    /// The payload of a token, whose header and signature are checked.
    @available(AppStoreServerAPI 1.0, *)
    private func payload(_ text: String) throws -> AppStoreJSON.Object {
        let token = try #require(try DecodedToken(text))
        #expect(token.header == ["alg": "ES256", "kid": "2X9R4HXF34", "typ": "JWT"])
        #expect(try token.isSigned)
        return token.payload
    }

    private static func common(_ audience: String) -> AppStoreJSON.Object {
        [
            "iss": .string(issuer), "bid": "com.example.app", "iat": 1_735_689_600, "aud": .string(audience),
            "nonce": .string(nonceText),
        ]
    }

    @Test("A promotional offer is a token with product, offer and, if known, transaction")
    @available(AppStoreServerAPI 1.0, *)
    func promotional() throws {
        for transaction in [nil, "7"] {
            let token = try testKey().promotionalOfferToken(
                offerIdentifier: "back", productIdentifier: "com.example.monthly", bundleIdentifier: "com.example.app",
                transactionIdentifier: transaction, nonce: Self.nonce, at: now)
            var expected = Self.common("promotional-offer")
            expected["productId"] = "com.example.monthly"
            expected["offerIdentifier"] = "back"
            expected["transactionId"] = transaction.map { .string($0) }
            #expect(try payload(token) == expected)
        }
    }

    @Test("The eligibility for an introductory offer is a token with the decision")
    @available(AppStoreServerAPI 1.0, *)
    func introductory() throws {
        let token = try testKey().introductoryOfferToken(
            isAllowed: false, productIdentifier: "com.example.monthly", bundleIdentifier: "com.example.app",
            transactionIdentifier: "7", nonce: Self.nonce, at: now)
        var expected = Self.common("introductory-offer-eligibility")
        expected["productId"] = "com.example.monthly"
        expected["allowIntroductoryOffer"] = false
        expected["transactionId"] = "7"
        #expect(try payload(token) == expected)
    }

    @Test("A request of the Advanced Commerce API is a token with the request in base64")
    @available(AppStoreServerAPI 1.0, *)
    func advancedCommerce() throws {
        let request = Array(#"{"operation": "CREATE_ONE_TIME_CHARGE", "text": "???>>>"}"#.utf8)
        let token = try testKey().advancedCommerceToken(
            request: request, bundleIdentifier: "com.example.app", nonce: Self.nonce, at: now)
        var expected = Self.common("advanced-commerce-api")
        expected["request"] = .string(request.base64)
        #expect(try payload(token) == expected)
    }

    @Test("Each offer has another nonce")
    @available(AppStoreServerAPI 1.0, *)
    func nonces() throws {
        let tokens = try (0..<2).map { _ in
            try testKey().promotionalOfferToken(
                offerIdentifier: "c", productIdentifier: "b", bundleIdentifier: "a", at: now)
        }
        #expect(try payload(tokens[0])["nonce"] != payload(tokens[1])["nonce"])
    }

    @Test("Empty identifiers aren't signed")
    @available(AppStoreServerAPI 1.0, *)
    func invalid() throws {
        let key = try testKey()
        #expect(throws: AppStoreServerError(.requestInvalid)) {
            try key.promotionalOfferToken(offerIdentifier: "c", productIdentifier: "", bundleIdentifier: "a")
        }
        #expect(throws: AppStoreServerError(.requestInvalid)) {
            try key.promotionalOfferToken(
                offerIdentifier: "c", productIdentifier: "b", bundleIdentifier: "a", transactionIdentifier: "")
        }
        #expect(throws: AppStoreServerError(.requestInvalid)) {
            try key.introductoryOfferToken(
                isAllowed: true, productIdentifier: "b", bundleIdentifier: "a", transactionIdentifier: "")
        }
        #expect(throws: AppStoreServerError(.requestInvalid)) {
            try key.advancedCommerceToken(request: Array("[]".utf8), bundleIdentifier: "a")
        }
    }
}
