#if Server
import Foundation
import HTTPTypes
import Testing

@testable import AppReceiptServer

@Suite("CrossOriginPolicy")
struct CrossOriginPolicyTests {
    typealias Head = CrossOriginPolicy.RequestHead

    private static let allowedHosts: Set = [
        "receipts.example.com", "Internal.Example.com:8443", "plain.example.com:80", "[2001:DB8:0::7]",
        "192.0.2.7:8080",
        "https://not-a-host.example.com", "",
    ]

    /// The kind of violation, without the host.
    private enum Kind { case site, origin, host }

    private func kind(_ head: Head) -> Kind? {
        do throws(CrossOriginPolicy.Violation) {
            try CrossOriginPolicy(allowedHosts: Self.allowedHosts).check(head)
            return nil
        } catch {
            switch error {
            case .site: return .site
            case .origin: return .origin
            case .host: return .host
            }
        }
    }

    @Test(
        "A request without Origin and Sec-Fetch-Site is accepted with any Host",
        arguments: ["localhost:8080", "receipts.example.com", "evil.example.net", "not a host", "", nil] as [String?])
    func programs(host: String?) {
        for method in [HTTPRequest.Method.get, .post, .options] {
            #expect(kind(Head(method: method, path: "/v1/receipts/validate", host: host)) == nil)
            // Some programs send the mode alone, fetch() of Node.js for example.
            #expect(kind(Head(method: method, path: "/verifyReceipt", host: host, fetchMode: "cors")) == nil)
        }
    }

    @Test("Sec-Fetch-Site is same-origin or none")
    func sites() {
        for (site, expected) in [
            ("same-origin", nil), ("none", nil), ("same-site", .site), ("cross-site", .site), ("", .site),
            ("Same-Origin", .site), ("same-origin, cross-site", .site), ("unheard-of", .site),
        ] as [(String, Kind?)] {
            #expect(kind(Head(host: "localhost:8080", fetchSite: site)) == expected, "\(site)")
            // The server's own origin makes no difference.
            #expect(
                kind(Head(host: "localhost:8080", origin: "http://localhost:8080", fetchSite: site)) == expected,
                "\(site)")
        }
    }

    @Test("Any site may navigate to the page, and to nothing else")
    func navigations() {
        func navigation(_ path: String, method: HTTPRequest.Method = .get, mode: String? = "navigate") -> Kind? {
            kind(
                Head(
                    method: method, path: path, host: "127.0.0.1:8080", fetchSite: "cross-site", fetchMode: mode))
        }
        #expect(navigation("/") == nil)
        #expect(navigation("//") == nil)
        #expect(navigation("/", method: .head) == nil)
        #expect(navigation("/", method: .post) == .site)
        #expect(navigation("/", mode: "no-cors") == .site)
        #expect(navigation("/", mode: nil) == .site)
        for path in ["/metrics", "/openapi.json", "/verifyReceipt", "/inspector/inspector.js", "/v1/receipts/validate"]
        {
            #expect(navigation(path) == .site, "\(path)")
        }
        // DNS rebinding: the name is the attacker's, and the address is this machine's.
        #expect(
            kind(Head(method: .get, host: "evil.example.net:8080", fetchSite: "none", fetchMode: "navigate")) == .host)
        #expect(
            kind(Head(method: .get, host: "evil.example.net:8080", fetchSite: "cross-site", fetchMode: "navigate"))
                == .host)
    }

    @Test("Origin has the host and port of Host, and its scheme doesn't matter")
    func origins() {
        for (origin, host, expected) in [
            ("http://localhost:8080", "localhost:8080", nil),
            ("https://receipts.example.com", "receipts.example.com", nil),
            ("http://receipts.example.com", "receipts.example.com", nil),
            ("HTTPS://Receipts.Example.COM", "receipts.EXAMPLE.com", nil),
            ("https://receipts.example.com:8443", "receipts.example.com:8443", nil),
            // An omitted port is the default of the origin's scheme.
            ("https://receipts.example.com", "receipts.example.com:443", nil),
            ("https://receipts.example.com:443", "receipts.example.com", nil),
            ("http://receipts.example.com", "receipts.example.com:80", nil),
            ("http://receipts.example.com", "receipts.example.com:443", .origin),
            ("https://receipts.example.com", "receipts.example.com:80", .origin),
            ("http://receipts.example.com:443", "receipts.example.com", .origin),
            ("http://[::1]:8080", "[::1]:8080", nil),
            ("http://[::1]:8080", "[0:0:0:0:0:0:0:1]:8080", nil),
            ("http://[2001:db8::7]", "[2001:DB8::7]", nil),
            ("http://[::1]:8080", "[::1]:8081", .origin),
            ("http://localhost:3000", "localhost:8080", .origin),
            ("http://localhost", "localhost:8080", .origin),
            ("http://localhost:8080", "127.0.0.1:8080", .origin),
            ("https://evil.example.net", "receipts.example.com", .origin),
            ("https://receipts.example.com.evil.example.net", "receipts.example.com", .origin),
            ("https://receipts.example.com", "127.0.0.1:8080", .origin),
            ("http://localhost:8080", nil, .origin),
            // These aren't origins of the server's pages, for any host.
            ("null", "localhost:8080", .origin), ("", "localhost:8080", .origin),
            ("capacitor://localhost", "localhost", .origin), ("file://", "localhost:8080", .origin),
            ("chrome-extension://localhost:8080", "localhost:8080", .origin),
            // No browser sends these.
            ("http://localhost:8080/", "localhost:8080", .origin),
            ("http://user@localhost:8080", "localhost:8080", .origin),
            ("http://localhost:8080, http://localhost:8080", "localhost:8080", .origin),
            ("localhost:8080", "localhost:8080", .origin),
        ] as [(String, String?, Kind?)] {
            #expect(kind(Head(host: host, origin: origin)) == expected, "\(origin) at \(host ?? "no host")")
        }
    }

    @Test("Host is a loopback name or an allowed host")
    func hosts() {
        for (host, expected) in [
            ("localhost", nil), ("localhost:8080", nil), ("LocalHost:1", nil), ("inspector.localhost:8080", nil),
            ("127.0.0.1", nil), ("127.0.0.1:8080", nil), ("127.255.3.4:8080", nil), ("[::1]", nil), ("[::1]:8080", nil),
            ("[0000::0001]:8080", nil),
            ("localhost.example.net", .host), ("notlocalhost:8080", .host), ("127.0.0.1.example.net:8080", .host),
            ("127.1", .host), ("127.0.0.256", .host), ("127.0.0.01", .host), ("128.0.0.1", .host),
            ("0.0.0.0:8080", .host),
            ("[::2]:8080", .host), ("[::ffff:127.0.0.1]:8080", .host), ("[::1%25lo]:8080", .host), ("::1", .host),
            // Allowed with every port.
            ("receipts.example.com", nil), ("RECEIPTS.example.com:1234", nil), ("[2001:db8::7]:9", nil),
            ("other.example.com", .host), ("receipts.example.com.", .host), ("a.receipts.example.com", .host),
            // Allowed with one port.
            ("internal.example.com:8443", nil), ("internal.example.com:8444", .host), ("internal.example.com", .host),
            ("plain.example.com", nil), ("plain.example.com:80", nil), ("plain.example.com:8080", .host),
            ("192.0.2.7:8080", nil), ("192.0.2.7", .host),
            // Configured, but not valid hosts.
            ("not-a-host.example.com", .host), ("", .host), (nil, .host), ("local host", .host),
            ("localhost:", .host), ("localhost:+80", .host), ("localhost:65536", .host), ("localhost:8080:1", .host),
            ("[::1", .host), ("[::1]8080", .host), ("[127.0.0.1]", .host), ("user@localhost", .host),
        ] as [(String?, Kind?)] {
            #expect(kind(Head(host: host, fetchSite: "same-origin")) == expected, "\(host ?? "no host")")
            #expect(
                kind(Head(method: .get, host: host, fetchSite: "none", fetchMode: "navigate")) == expected,
                "\(host ?? "no host")")
        }
        // A page under a rebound name has the same origin as the server.
        #expect(kind(Head(host: "evil.example.net:8080", origin: "http://evil.example.net:8080")) == .host)
        #expect(
            kind(
                Head(
                    host: "evil.example.net:8080", origin: "http://evil.example.net:8080", fetchSite: "same-origin",
                    fetchMode: "cors")) == .host)
    }

    @Test("The message names the host, and only one that is valid")
    func messages() {
        #expect(
            CrossOriginPolicy.Violation.host(Authority("Evil.Example.NET:8080")).message.contains(
                "'evil.example.net:8080'"))
        #expect(CrossOriginPolicy.Violation.host(nil).message.contains("allowed hosts"))
        #expect(Authority(String(repeating: "a", count: 300)) == nil)
        #expect(Authority("<script>") == nil)
    }
}
#endif
