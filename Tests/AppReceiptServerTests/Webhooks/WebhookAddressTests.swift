#if Server
import Foundation
import Testing

@testable import AppReceiptServer

@Suite("WebhookAddress")
struct WebhookAddressTests {
    @Test(
        "Addresses that aren't globally routable are refused",
        arguments: [
            [0, 0, 0, 0], [10, 1, 2, 3], [100, 64, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254], [172, 16, 0, 1],
            [172, 31, 255, 255], [192, 0, 0, 1], [192, 0, 2, 1], [192, 168, 1, 1], [198, 18, 0, 1], [198, 51, 100, 7],
            [203, 0, 113, 9], [224, 0, 0, 1], [240, 0, 0, 1], [255, 255, 255, 255],
        ] as [[UInt8]])
    func refused(bytes: [UInt8]) {
        #expect(!WebhookAddress.isGloballyRoutable(bytes))
        let zeros = [UInt8](repeating: 0, count: 10)
        #expect(!WebhookAddress.isGloballyRoutable(zeros + [0xFF, 0xFF] + bytes))
        #expect(!WebhookAddress.isGloballyRoutable(zeros + [0, 0] + bytes))
        #expect(!WebhookAddress.isGloballyRoutable([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8) + bytes))
        #expect(!WebhookAddress.isGloballyRoutable([0x20, 0x02] + bytes + zeros))
    }

    @Test("Public addresses are accepted, and others of IPv6 are refused")
    func routable() {
        func v6(_ start: UInt8...) -> [UInt8] { start + [UInt8](repeating: 1, count: 16 - start.count) }
        #expect(WebhookAddress.isGloballyRoutable([93, 184, 216, 34]))
        #expect(WebhookAddress.isGloballyRoutable([172, 32, 0, 1]))
        #expect(WebhookAddress.isGloballyRoutable(v6(0x26, 0x06, 0x28)))
        for address in [v6(0xFE, 0x80), v6(0xFC), v6(0xFD), v6(0xFF, 2), v6(0x20, 1, 0x0D, 0xB8), v6(0x20, 1, 0, 0)]
            + [v6(0x3F, 0xFF, 0x0F)]
        {
            #expect(!WebhookAddress.isGloballyRoutable(address))
        }
        #expect(!WebhookAddress.isGloballyRoutable([]))
    }

    @Test(
        "Only https is accepted, and http for hosts that are allowed by name",
        arguments: [
            ("https://example.com/hook", "example.com"), ("http://internal:8080/x", "internal"),
            ("https://[2001:db8::1]/x", "2001:db8::1"), ("http://example.com/", nil),
            ("https://user@example.com/", nil),
            ("ftp://example.com/", nil), ("example.com", nil), ("https:///x", nil), ("", nil),
        ] as [(String, String?)])
    func hosts(url: String, host: String?) {
        #expect((try? WebhookAddress.host(of: url, allowed: ["internal"])) == host)
    }

    @Test("An address that is private is refused when it is configured, unless it is allowed")
    func privateAddresses() {
        for host in ["10.0.0.1", "127.0.0.1", "[::1]", "169.254.169.254", "localhost", "hooks.localhost:9911"] {
            let problem = WebhookConfiguration.problem(with: "https://\(host)/", allowing: [])
            #expect(problem?.contains("allow-webhook-host") == true, "\(host)")
        }
        #expect(WebhookConfiguration.problem(with: "https://10.0.0.1/", allowing: ["10.0.0.1"]) == nil)
        #expect(WebhookConfiguration.problem(with: "https://93.184.216.34/", allowing: []) == nil)
    }

    @Test("A host that can be allowed has neither scheme nor port nor brackets")
    func allowableHosts() {
        for host in ["localhost", "Internal.example.com", "10.0.0.1", "::1", "2001:db8::1"] {
            #expect(WebhookConfiguration.isHost(host), "\(host)")
        }
        for host in ["", "[::1]", "localhost:9911", "https://localhost", "a/b", "user@a", "0:0:0:0:0:0:0:1"] {
            #expect(!WebhookConfiguration.isHost(host), "\(host)")
        }
    }

    @Test("The address is pinned to the name under which the HTTP client looks for it")
    func clientHost() {
        #expect(
            (try? WebhookAddress.clientHost(of: "https://Example.COM/hook", checked: "example.com")) == "Example.COM")
        #expect(
            (try? WebhookAddress.clientHost(of: "https://example.com:8443/", checked: "example.com")) == "example.com")
        #expect((try? WebhookAddress.clientHost(of: "https://[2001:DB8::1]/", checked: "2001:db8::1")) == "2001:db8::1")
        #expect(throws: WebhookAddress.Refusal.malformed) {
            try WebhookAddress.clientHost(of: "https://other.example/", checked: "example.com")
        }
    }

    @Test("A name that resolves to this machine is refused unless it is allowed")
    func loopback() {
        #expect(throws: WebhookAddress.Refusal.notPublic) { try WebhookAddress.resolve("127.0.0.1", allowed: []) }
        #expect((try? WebhookAddress.resolve("127.0.0.1", allowed: ["127.0.0.1"])) == "127.0.0.1")
        #expect(throws: WebhookAddress.Refusal.unresolved) { try WebhookAddress.resolve("", allowed: [""]) }
    }
}
#endif
