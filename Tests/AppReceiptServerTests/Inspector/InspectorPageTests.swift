#if Server
import AppReceiptKit
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
        #expect(names.count == InspectorPage.files.count)
        for file in InspectorPage.files {
            let name = file.path == "/" ? "inspector.html" : String(file.path.dropFirst("/inspector/".count))
            let bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
            #expect(file.bytes == bytes, "\(name) differs from the embedded file. Run scripts/embed-files.py")
        }
    }

    @Test("Every file has its content type and a unique entity tag")
    func typesAndTags() {
        let types = Dictionary(grouping: InspectorPage.files, by: \.contentType).mapValues(\.count)
        #expect(types["text/html; charset=utf-8"] == 1 && types["text/css; charset=utf-8"] == 1)
        #expect(types["text/javascript; charset=utf-8"] == InspectorPage.files.count - 2)
        #expect(Set(InspectorPage.files.map(\.entityTag)).count == InspectorPage.files.count)
        #expect(InspectorPage.files.allSatisfy { $0.entityTag.hasPrefix("\"") && $0.entityTag.hasSuffix("\"") })
    }

    @Test("The page needs no exception from its content security policy")
    func noExceptions() {
        for file in InspectorPage.files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                "localStorage", "sessionStorage", "document.cookie", "indexedDB", " style=\"", "<style", "javascript:",
                "https://",
            ] {
                #expect(!text.contains(word), "\(file.path): \(word)")
            }
            // The namespace of SVG isn't loaded.
            let rest = text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
            #expect(!rest.contains("http://"), "\(file.path)")
        }
    }

    @Test("The content security policy is strict, and responses are not cached")
    func policy() {
        let policy = InspectorPage.contentSecurityPolicy
        for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for"] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        #expect(InspectorPage.headers[.contentSecurityPolicy] == policy)
        #expect(InspectorPage.responseHeaders[.cacheControl] == "no-store")
    }
}
#endif
