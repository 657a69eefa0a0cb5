package import AppReceiptFoundation

/// The document that lists every error code with its cause and remedy.
package enum ErrorDocumentation {
    /// The path of the document in the repository. A URL in its place changes every link.
    package static let page = "docs/errors.md"

    /// Returns the link to the section about a code.
    package static func link(to code: String) -> String { "\(page)#\(code)" }

    /// Returns the link to the section about a code, or to the page if no section can have the code's name.
    package static func url(of code: String) -> URL {
        guard let url = URL(string: link(to: code)) ?? URL(string: page) else {
            preconditionFailure("The page's address is malformed.")
        }
        return url
    }
}
