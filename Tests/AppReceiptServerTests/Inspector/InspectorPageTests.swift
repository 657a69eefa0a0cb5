#if Server
import AppReceiptKit
import AppStoreSignedData
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppReceiptServer

@Suite("InspectorPage")
struct InspectorPageTests {
    private static let folder = TestDirectories.package.appendingPathComponent(
        "Sources/AppReceiptServer/Inspector/Page")

    @Test("Every file of the page is embedded byte for byte")
    func embeddedFiles() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0 != "samples" }
        let files = InspectorPage.files.filter { $0.path != "/docs/errors" }
        #expect(names.count == files.count)
        for file in files {
            let name = file.path == "/" ? "inspector.html" : String(file.path.dropFirst("/inspector/".count))
            let bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
            #expect(file.bytes == bytes, "\(name) differs from the embedded file. Run scripts/embed-files.py")
        }
    }

    @Test("Every file has its content type and a unique entity tag")
    func typesAndTags() {
        let types = Dictionary(grouping: InspectorPage.files, by: \.contentType).mapValues(\.count)
        #expect(types["text/html; charset=utf-8"] == 2)
        #expect(types["text/css; charset=utf-8"] == 1)
        #expect(types["text/javascript; charset=utf-8"] == InspectorPage.files.count - 3)
        #expect(Set(InspectorPage.files.map(\.entityTag)).count == InspectorPage.files.count)
        #expect(InspectorPage.files.allSatisfy { $0.entityTag.hasPrefix("\"") && $0.entityTag.hasSuffix("\"") })
    }

    @Test("The document of the errors has a section for each code, to which the page links")
    func errors() throws {
        let file = try #require(InspectorPage.files.first { $0.path == "/docs/errors" })
        let text = String(decoding: file.bytes, as: UTF8.self)
        for code in ["signature-invalid", "customer-unknown", "input-unrecognized"] {
            #expect(text.contains("<h3 id=\"\(code)\">\(code)</h3>"))
        }
        #expect(text.contains("<strong>What to do:</strong>"))
        #expect(!text.contains("**"))
        #expect(!text.contains("<script"))
    }

    @Test("The page needs no exception from its content security policy")
    func noExceptions() {
        for file in InspectorPage.files where file.path != "/docs/errors" {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                "localStorage", "document.cookie", "indexedDB", " style=\"", "<style", "javascript:",
                "https://",
            ] {
                #expect(!text.contains(word), "\(file.path): \(word)")
            }
            // The namespace of SVG isn't loaded.
            let rest = text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
            #expect(!rest.contains("http://"), "\(file.path)")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The header of the page names whom the server trusts, and a name can't become markup")
    func trust() throws {
        let names = #"Root <script>"x"</script> & Co."#
        let files = InspectorPage.files(trust: names, looksUpOrders: true)
        let page = try #require(files.first { $0.path == "/" })
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(text.contains(#"id="trust">Root &lt;script&gt;"x"&lt;/script&gt; &amp; Co.</p>"#))
        #expect(!text.contains("<!--trust-->"))
        let embedded = try #require(InspectorPage.files.first { $0.path == "/" })
        #expect(page.entityTag != embedded.entityTag)
        #expect(text.contains(#"<body data-orders="true">"#))
        #expect(files.count == InspectorPage.files.count)
    }

    @Test("The page has a title for every check, and no others")
    func titles() throws {
        let words = try #require(InspectorPage.files.first { $0.path == "/inspector/words.js" })
        let rest = String(decoding: words.bytes, as: UTF8.self).components(separatedBy: "CHECK_TITLES = {")
        let end = try #require(rest.last)
        let table = try #require(end.components(separatedBy: "};").first)
        let names = table.split(separator: "\n").compactMap { line in
            line.split(separator: ":").first?.trimmingCharacters(in: CharacterSet(charactersIn: " \""))
        }
        let checks = ValidationCheck.receiptChecks + ValidationCheck.signedDataChecks
        #expect(rest.count == 2)
        #expect(Set(names) == Set(checks.map(\.rawValue)))
        #expect(names.count == Set(names).count)
    }

    @Test("The page has words for every state and kind of an entitlement, and no others")
    func states() throws {
        let words = try #require(InspectorPage.files.first { $0.path == "/inspector/words.js" })
        let text = String(decoding: words.bytes, as: UTF8.self)
        for state in Entitlement.State.allCases { #expect(text.contains("  \(state.rawValue): { words:")) }
        #expect(text.components(separatedBy: "{ words:").count - 1 == Entitlement.State.allCases.count)
        for kind in Entitlement.Kind.allCases { #expect(text.contains("\(kind.rawValue): \"")) }
    }

    @Test("The content security policy is strict, and responses are not cached")
    func policy() {
        let policy = InspectorPage.contentSecurityPolicy
        for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for"] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe"))
        #expect(!policy.contains("*"))
        #expect(InspectorPage.headers[.contentSecurityPolicy] == policy)
        #expect(InspectorPage.responseHeaders[.cacheControl] == "no-store")
    }
}
#endif
