import AppReceiptKit
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// docs/errors.md is generated from the sources. Set `APPRECEIPT_RECORD=1` to write it; the test then fails, so that
/// nobody records by accident.
@Suite("Error catalog")
struct ErrorCatalogTests {
    /// The files that define the codes.
    private static let sources = [
        "Sources/AppReceiptParsing/ReceiptErrorCode+Parsing.swift",
        "Sources/AppReceiptKit/Trust/ReceiptErrorCode+Trust.swift",
        "Sources/AppReceiptKit/Validation/ReceiptErrorCode+Validation.swift",
        "Sources/AppReceiptParsing/TransactionReceipt/ReceiptErrorCode+TransactionReceipt.swift",
        "Sources/AppReceiptKit/TransactionReceipt/ReceiptErrorCode+TransactionReceipt.swift",
        "Sources/AppStoreSignedData/ReceiptErrorCode+SignedData.swift",
        "Sources/VerifyReceipt/ReceiptErrorCode+VerifyReceipt.swift",
    ]

    #if Server
    @Test("docs/errors.md lists every code with its check, cause and remedy")
    func documentMatchesSource() throws {
        let rendered = ErrorCatalog.render()
        let file = Repository.root.appendingPathComponent("docs/errors.md")
        if ProcessInfo.processInfo.environment["APPRECEIPT_RECORD"] == "1" {
            try Data(rendered.utf8).write(to: file)
            Issue.record("docs/errors.md was written. Run again without APPRECEIPT_RECORD.")
        }
        #expect(try Repository.text("docs/errors.md") == rendered)
    }
    #endif

    @Test("Each code has one section, to which its link leads")
    func sectionsAreDistinct() throws {
        let headings = try Repository.text("docs/errors.md").split(separator: "\n").filter { $0.hasPrefix("#") }
        let anchors = headings.map { ErrorCatalog.anchor(ofHeading: $0.drop { $0 == "#" || $0 == " " }) }
        #expect(Set(anchors).count == anchors.count)
        let documented = ErrorCatalog.groups.flatMap(\.entries).map(\.code)
        #expect(Set(documented).isSubset(of: anchors))
        let links =
            ErrorCatalog.codes.map(\.documentation) + ReceiptRefreshError.Code.all.map(\.documentation)
            + ErrorCatalog.appStoreLinks
        for link in links {
            #expect(link.path == "docs/errors.md")
            #expect(link.fragment.map(anchors.contains) == true, "\(link)")
        }
    }

    #if Server
    @Test("Every code that the command line writes by itself is in the catalog")
    func commandLineCodes() throws {
        let documented = Set(ErrorCatalog.groups.flatMap(\.entries).map(\.code))
        var count = 0
        for source in try Self.swiftFiles(in: "Sources/appreceipt") {
            for argument in ["(code: \"", " code: \""] {
                for part in source.components(separatedBy: argument).dropFirst() {
                    let code = String(part.prefix { $0 != "\"" })
                    #expect(documented.contains(code), "\(code)")
                    count += 1
                }
            }
        }
        #expect(count >= 4)
    }
    #endif

    @Test("Every code that the sources define is in the catalog")
    func catalogIsComplete() throws {
        var defined: [String] = []
        for source in Self.sources {
            let lines = try Repository.text(source).components(separatedBy: "\n")
            for (line, next) in zip(lines, lines.dropFirst()) where line.contains("public static let") {
                defined.append(try #require(next.components(separatedBy: "\"").dropFirst().first, "\(line)"))
            }
        }
        #expect(defined.count > 90)
        #expect(ErrorCatalog.codes.map(\.rawValue).sorted() == defined.sorted())
    }

    @Test("Codes have distinct names, a cause and a remedy")
    func codesAreDistinct() {
        #expect(Set(ErrorCatalog.codes.map(\.rawValue)).count == ErrorCatalog.codes.count)
        for code in ErrorCatalog.codes {
            #expect(code.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(code)")
            #expect(code.cause.hasSuffix("."), "\(code)")
            #expect(code.remedy.hasSuffix("."), "\(code)")
        }
    }

    @Test("Every code is used outside its definition")
    func codesAreUsed() throws {
        var used: Set<Substring> = []
        for text in try Self.swiftFiles(in: "Sources", except: "ReceiptErrorCode+") {
            for member in text.split(separator: ".").dropFirst() {
                used.insert(member.prefix { $0.isLetter || $0.isNumber })
            }
        }
        let names = try Self.sources.flatMap { source in
            try Repository.text(source).components(separatedBy: "public static let ")
                .dropFirst().compactMap { $0.components(separatedBy: " ").first }
        }
        #expect(names.count == ErrorCatalog.codes.count)
        for name in names { #expect(used.contains(name[...]), "\(name) is never used") }
    }

    /// The texts of the Swift files in a folder, except of those whose name begins with a prefix.
    private static func swiftFiles(in folder: String, except prefix: String = "-") throws -> [String] {
        let enumerator = try #require(
            FileManager.default.enumerator(
                at: Repository.root.appendingPathComponent(folder), includingPropertiesForKeys: nil))
        return try enumerator.compactMap { $0 as? URL }
            .filter { $0.pathExtension == "swift" && !$0.lastPathComponent.hasPrefix(prefix) }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
