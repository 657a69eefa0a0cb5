#if Server
import AppReceiptKit
import Crypto
import AppReceiptSupport

/// The page of the inspector, as it is embedded in the program.
public enum InspectorPage {
    /// A file that the page consists of.
    public struct File: Sendable {
        /// The path at which it is served. The page's references are relative, so that all may be moved together.
        public let path: String
        /// The value of `Content-Type`.
        public let contentType: String
        /// The value of `ETag`, in quotation marks.
        public let entityTag: String
        /// The content.
        public let bytes: [UInt8]
    }

    /// Every file.
    public static let files: [File] = InspectorFiles.page.map { file in
        let bytes = InspectorFiles.bytes(file.base64)
        let digest = SHA256.hash(data: bytes).prefix(12).hexadecimal()
        return File(
            path: file.name == "inspector.html" ? "/" : "/inspector/\(file.name)",
            contentType: contentType(file.name), entityTag: "\"\(digest)\"", bytes: bytes)
    }

    /// The value of `Content-Security-Policy`: nothing is loaded from elsewhere, no script or style stands in the page, and
    /// no text becomes markup.
    public static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        + "trusted-types 'none'"

    /// The headers of every file, besides its type and tag.
    public static let headers: [(name: String, value: String)] = [
        ("Content-Security-Policy", contentSecurityPolicy),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-cache"),
    ]

    /// The headers of every answer to what the page asks. Nothing of a receipt may be kept.
    public static let answerHeaders: [(name: String, value: String)] = [
        ("Content-Type", "application/json"),
        ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]

    private static func contentType(_ name: String) -> String {
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        return name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
    }
}
#endif
