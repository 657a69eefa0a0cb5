#if Server
import AppReceiptKit
import Crypto
import AppReceiptSupport
import HTTPTypes

/// The inspector's page, which is embedded in the program.
enum InspectorPage {
    /// A file of the page.
    struct File: Sendable {
        /// The path of the file. References between files are relative, so a proxy can move them together.
        let path: String
        /// The value of `Content-Type`.
        let contentType: String
        /// The value of `ETag`, in quotation marks.
        let entityTag: String
        /// The content.
        let bytes: [UInt8]
    }

    /// Every file, and the document of the errors to which it links.
    static let files: [File] =
        EmbeddedFiles.page.map { file in
            InspectorPage.file(
                path: file.name == "inspector.html" ? "/" : "/inspector/\(file.name)", name: file.name,
                bytes: EmbeddedFiles.bytes(file.base64))
        } + [
            file(path: "/docs/errors", name: "errors.html", bytes: EmbeddedFiles.bytes(EmbeddedFiles.errors))
        ]

    private static func file(path: String, name: String, bytes: [UInt8]) -> File {
        let digest = SHA256.hash(data: bytes).prefix(12).hexadecimal()
        return File(path: path, contentType: contentType(name), entityTag: "\"\(digest)\"", bytes: bytes)
    }

    /// Returns the files of a server's page.
    ///
    /// - Parameters:
    ///   - trust: A sentence about the trusted roots, for the header of the page.
    ///   - looksUpOrders: Whether the server can look up order numbers, so that the page asks for Apple's mails.
    @available(AppReceiptServer 1.0, *)
    static func files(trust: String, looksUpOrders: Bool) -> [File] {
        files.map { file in
            guard file.path == "/" else { return file }
            let text = String(decoding: file.bytes, as: UTF8.self).replacing("<!--trust-->", with: escaped(trust))
                .replacing("<!--orders-->", with: "\(looksUpOrders)")
            return InspectorPage.file(path: file.path, name: "inspector.html", bytes: Array(text.utf8))
        }
    }

    /// Returns a text as HTML. The names of certificates may contain anything.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { html, character in
            switch character {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            default: html.append(character)
            }
        }
    }

    /// The value of `Content-Security-Policy`: nothing is loaded from other origins, no script or style is inline, and
    /// text never becomes markup.
    static let contentSecurityPolicy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        + "trusted-types 'none'"

    /// The headers of every file, except its type and tag, and those that every response has (``SecurityHeaders``).
    static let headers = fields([
        ("Content-Security-Policy", contentSecurityPolicy),
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-cache"),
    ])

    /// The headers of every response to the page beside ``SecurityHeaders``. Caches must not store receipts.
    static let responseHeaders = fields([
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ])

    private static func fields(_ fields: [(name: String, value: String)]) -> HTTPFields {
        HTTPFields(
            fields.map { field in
                guard let name = HTTPField.Name(field.name) else {
                    preconditionFailure("'\(field.name)' isn't a header name.")
                }
                return HTTPField(name: name, value: field.value)
            })
    }

    private static func contentType(_ name: String) -> String {
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        return name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
    }
}
#endif
