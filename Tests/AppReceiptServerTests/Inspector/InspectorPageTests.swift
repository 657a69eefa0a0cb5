#if Server
import AppReceiptKit
import Foundation
import TestSupport
import Testing

@testable import AppReceiptServer

/// The page is embedded as it lies in its folder, and keeps the policy that it is served with.
@Suite struct InspectorPageTests {
    private static let folder = Places.package.appendingPathComponent("Sources/AppReceiptServer/Inspector/Page")

    @Test func everyFileIsEmbeddedByteForByte() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0 != "samples" }
        #expect(names.count == InspectorPage.files.count)
        for file in InspectorPage.files {
            let name = file.path == "/" ? "inspector.html" : String(file.path.dropFirst("/inspector/".count))
            let bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
            #expect(file.bytes == bytes, "\(name) is not what is embedded: run scripts/embed-files.py")
        }
    }

    @Test func typesAndTagsAreThoseOfTheFiles() {
        let types = Dictionary(grouping: InspectorPage.files, by: \.contentType).mapValues(\.count)
        #expect(types["text/html; charset=utf-8"] == 1 && types["text/css; charset=utf-8"] == 1)
        #expect(types["text/javascript; charset=utf-8"] == InspectorPage.files.count - 2)
        #expect(Set(InspectorPage.files.map(\.entityTag)).count == InspectorPage.files.count)
        #expect(InspectorPage.files.allSatisfy { $0.entityTag.hasPrefix("\"") && $0.entityTag.hasSuffix("\"") })
    }

    @Test func nothingInThePageNeedsAnException() {
        for file in InspectorPage.files {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                "localStorage", "sessionStorage", "document.cookie", "indexedDB", " style=\"", "<style", "javascript:",
                "https://",
            ] {
                #expect(!text.contains(word), "\(file.path): \(word)")
            }
            // Only the names of drawings' namespaces look like addresses.
            let rest = text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
            #expect(!rest.contains("http://"), "\(file.path)")
        }
    }

    @Test func thePolicyIsStrict() {
        let policy = InspectorPage.contentSecurityPolicy
        for rule in ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for"] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        #expect(InspectorPage.headers.contains { $0 == ("Content-Security-Policy", policy) })
        #expect(InspectorPage.answerHeaders.contains { $0 == ("Cache-Control", "no-store") })
    }
}
#endif
