#if Server
import Foundation
import Testing

@testable import AppReceiptServer

/// The worked examples of the specifications.
@Suite("WebhookSignature")
struct WebhookSignatureTests {
    @Test("OpenIAP signs timestamp, period and body with the whole secret, and each secret signs")
    func openIAP() {
        let body =
            #"{"eventId":"evt_0001","eventType":"entitlement.granted","eventVersion":"1.0","occurredAt":1789999990000,"processedAt":1789999995000,"store":"apple","environment":"production","projectId":"garden","userId":"user-42","productId":"com.example.garden.pro"}"#
        let secrets = [
            "whsec_test_8f1d6c2b4a7e9035d1c4b6a2f0e8d7c9", "whsec_test_old_00112233445566778899aabbccddeeff",
        ].map { WebhookConfiguration.Secret($0) }
        let headers = WebhookSignature.headers(
            of: Array(body.utf8), identifier: "evt_0001", at: 1_790_000_000, format: .openIAP, secrets: secrets)
        #expect(
            headers["openiap-signature"]
                == "v1=b9668f11d70df4300e47ad3f4728038aabc1c98f11317013eea143bb22bd402e,"
                + "v1=b6e4f5eb564d1ec548ecf51a1490408fe3676b078128763e2b123acc2eefa75b")
        #expect(headers["openiap-timestamp"] == "1790000000")
        #expect(headers["openiap-event-id"] == "evt_0001")
        #expect(headers["openiap-delivery-id"] == "evt_0001")
    }

    @Test("Standard Webhooks signs identifier, timestamp and body with the decoded secret")
    func standard() {
        let secret = WebhookConfiguration.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let headers = WebhookSignature.headers(
            of: Array(#"{"test": 2432232314}"#.utf8), identifier: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330,
            format: .standard, secrets: [secret])
        #expect(headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(headers["webhook-id"] == "msg_p5jXN8AQM9LWM0D4loKWxJek")
        #expect(headers["webhook-timestamp"] == "1614265330")
    }

    @Test("Several secrets of Standard Webhooks are separated by a space")
    func rotation() {
        let body =
            #"{"type":"entitlement.granted","timestamp":"2026-09-21T14:13:10Z","data":{"userId":"user-42","productId":"com.example.garden.pro"}}"#
        let keys = [(0x00...0x1F).map { UInt8($0) }, (0x20...0x3F).map { UInt8($0) }]
        let secrets = keys.map { key in
            WebhookConfiguration.Secret("whsec_" + Data(key).base64EncodedString())
        }
        let headers = WebhookSignature.headers(
            of: Array(body.utf8), identifier: "msg_garden_0001", at: 1_790_000_000, format: .standard, secrets: secrets)
        #expect(
            headers["webhook-signature"]
                == "v1,z1CNZVR4id/HLXeqnk7SGIu9ZqSYnVibDugsWpLf6vc= v1,EGe0y9KUwTvcfwWs8d3eiLSZCzfVWXcHGP6G0O4KwXg=")
    }

    @Test("A secret that is too short for its format can't be used")
    func weakSecrets() {
        #expect(!WebhookConfiguration.Secret("short").isUsable(for: .openIAP))
        #expect(!WebhookConfiguration.Secret("whsec_c2hvcnQ=").isUsable(for: .standard))
        #expect(!WebhookConfiguration.Secret("whsec_*").isUsable(for: .standard))
        #expect(WebhookConfiguration.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").isUsable(for: .standard))
    }
}
#endif
