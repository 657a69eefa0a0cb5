#if Server
import Testing

@testable import AppReceiptServer

@Suite("WebOrigin")
struct WebOriginTests {
    @Test(
        "An origin is read as browsers write it",
        arguments: [
            ("https://app.example.com", "https://app.example.com"),
            ("HTTPS://App.Example.COM", "https://app.example.com"),
            ("https://app.example.com:443", "https://app.example.com"),
            ("http://app.example.com:80", "http://app.example.com"),
            ("http://app.example.com:443", "http://app.example.com:443"),
            ("http://localhost:8100", "http://localhost:8100"), ("http://[0:0::1]:8100", "http://[::1]:8100"),
            ("ionic://localhost", "ionic://localhost"), ("capacitor://localhost", "capacitor://localhost"),
            ("app://localhost", "app://localhost"), ("x-my.app+1://host", "x-my.app+1://host"), ("null", "null"),
            ("*", "*"), ("file://", "file://"),
        ])
    func valid(text: String, origin: String) { #expect(WebOrigin(text)?.text == origin) }

    @Test(
        "Anything else isn't an origin",
        arguments: [
            "", "localhost", "app.example.com", "https://", "https:app.example.com", "https://app.example.com/",
            "https://app.example.com/path", "https://user@app.example.com", "https://*.example.com", "https://*", "**",
            "NULL", "://localhost", "1x://localhost", "h ttps://localhost", "https://a b", "https://localhost:x",
            "https://a.example.com,https://b.example.com", "file:///", "ä://localhost",
        ])
    func invalid(text: String) { #expect(WebOrigin(text) == nil) }
}
#endif
