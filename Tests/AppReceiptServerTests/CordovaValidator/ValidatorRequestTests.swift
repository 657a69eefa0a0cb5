#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import Testing

@testable import AppReceiptServer

@Suite("ValidatorRequest")
struct ValidatorRequestTests {
    @available(AppReceiptServer 1.0, *)
    private static func request(_ text: String) throws(ValidatorFailure) -> ValidatorRequest {
        try ValidatorRequest(parsing: Array(text.utf8))
    }

    private static let transaction = #""transaction":{"type":"ios-appstore","id":"1","appStoreReceipt":"MIIB"}"#

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A body without a receipt or token is an invalid payload that says what is missing",
        arguments: [
            ("", "JSON object"), ("x", "JSON object"), ("[]", "JSON object"), ("null", "JSON object"),
            ("{", "JSON object"), ("{}", "'id'"), (#"{"id":""}"#, "'id'"), (#"{"id":7}"#, "'id'"),
            (#"{"id":"a"}"#, "'transaction'"), (#"{"id":"a","transaction":[]}"#, "'transaction'"),
            (#"{"id":"a","transaction":{"type":"ios-appstore"}}"#, "'transaction.appStoreReceipt'"),
            (
                #"{"id":"a","transaction":{"type":"ios-appstore","appStoreReceipt":""}}"#,
                "'transaction.appStoreReceipt'"
            ),
            (
                #"{"id":"a","transaction":{"type":"ios-appstore","jwsRepresentation":"eyJ"}}"#,
                "'transaction.appStoreReceipt'"
            ),
            (#"{"id":"a","transaction":{"type":"apple-sk2"}}"#, "'transaction.jwsRepresentation'"),
            (
                #"{"id":"a","transaction":{"type":"apple-sk2","jwsRepresentation":1}}"#,
                "'transaction.jwsRepresentation'"
            ),
            (#"{"id":"a","transaction":{"appStoreReceipt":"MIIB"}}"#, "'transaction.type'"),
            (#"{"id":"a","transaction":{"type":"android-playstore","purchaseToken":"x"}}"#, "'transaction.type'"),
        ])
    func malformed(body: String, name: String) {
        let failure = #expect(throws: ValidatorFailure.self) { try Self.request(body) }
        #expect(failure?.code == .invalidPayload)
        #expect(failure?.message.contains(name) == true, "\(failure?.message ?? "no message")")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request is about the app under its bundle identifier, and otherwise about a product, never another app")
    func product() throws {
        for (members, product) in [
            (#""id":"com.example.app","type":"application""#, nil),
            (#""id":"com.example.app","type":"paid subscription""#, nil), (#""id":"com.example.app""#, nil),
            (#""id":"com.example.pro","type":"paid subscription""#, "com.example.pro"),
            (#""id":"com.example.pro","type":"non consumable""#, "com.example.pro"),
        ] as [(String, String?)] {
            let request = try Self.request("{\(members),\(Self.transaction)}")
            #expect(try request.product(ofApp: "com.example.app") == product, "\(members)")
        }
        for members in [
            #""id":"com.example.other","type":"application""#, #""id":"com.example.other""#,
            #""id":"com.example.APP","type":"application""#,
        ] {
            let request = try Self.request("{\(members),\(Self.transaction)}")
            let failure = #expect(throws: ValidatorFailure.self) { try request.product(ofApp: "com.example.app") }
            #expect(failure?.code == .invalidPayload, "\(members)")
            #expect(throws: ValidatorFailure.self) { try request.product(ofApp: nil) }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Everything else in a request is ignored")
    func ignored() throws {
        _ = try Self.request(#"{"id":"a","alias":"A","price":"$1","owned":false,\#(Self.transaction)}"#)
        let new = try Self.request(
            #"{"id":"a","device":{"plugin":"cordova-plugin-purchase/13.18.0"},"products":[{"offers":[{}]}],"#
                + #""additionalData":{"applicationUsername":7},"license":null,\#(Self.transaction)}"#)
        guard case .receipt = new.proof else {
            Issue.record("The receipt isn't found.")
            return
        }
        let token = try Self.request(
            #"{"id":"a","transaction":{"type":"apple-sk2","jwsRepresentation":" e.y.J\n"}}"#)
        guard case .token("e.y.J") = token.proof else {
            Issue.record("The token isn't found.")
            return
        }
    }
}
#endif
