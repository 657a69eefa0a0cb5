/// The document that lists every error code with its cause and remedy.
package enum ErrorDocumentation {
    /// The path of the document in the repository. A URL in its place changes every link.
    package static let page = "docs/errors.md"

    /// The link to the section about a code.
    package static func link(to code: String) -> String { "\(page)#\(code)" }
}
