import AppReceiptParsing
import Foundation
import Testing

/// The inspector's page and the documentation repeat the table of attributes. `APPRECEIPT_RECORD=1` writes the
/// documentation; the test then fails, so that nobody records by accident.
@Suite("Table of attributes")
struct AttributeTableTests {
    private static let page = "Sources/AppReceiptServer/Inspector/Page/asn1.js"
    private static let article = "Sources/AppReceiptParsing/Documentation.docc/Attributes.md"

    /// The text between two markers.
    private func part(of text: String, from start: String, to end: String) throws -> String {
        let rest = try #require(text.components(separatedBy: start).dropFirst().first)
        return try #require(rest.components(separatedBy: end).first)
    }

    @Test("The inspector's page has the same numbers, names and formats")
    func page() throws {
        let table = try part(of: Repository.text(Self.page), from: "ATTRIBUTES = {", to: "};")
        let expected = AttributeType.allCases.map { type in
            "\(type.rawValue): [\"\(type.description.name)\", \"\(type.description.format.rawValue)\"]"
        }
        let written = table.components(separatedBy: .newlines).joined(separator: " ")
        for entry in expected { #expect(written.contains(entry), "\(entry)") }
        #expect(written.components(separatedBy: "[").count - 1 == expected.count)
    }

    @Test("The inspector's page marks the same attributes as documented by Apple")
    func documented() throws {
        let set = try part(of: Repository.text(Self.page), from: "DOCUMENTED = new Set([", to: "])")
        let numbers = set.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(numbers == AttributeType.allCases.filter(\.isDocumented).map(\.rawValue))
    }

    @Test("The documentation lists every attribute")
    func article() throws {
        let rendered = Self.render()
        if ProcessInfo.processInfo.environment["APPRECEIPT_RECORD"] == "1" {
            try Data(rendered.utf8).write(to: Repository.root.appendingPathComponent(Self.article))
            Issue.record("\(Self.article) was written. Run again without APPRECEIPT_RECORD.")
        }
        #expect(try Repository.text(Self.article) == rendered)
    }

    private static func render() -> String {
        var text = """
            # Attributes

            The attributes of receipts and purchases whose meaning is known.

            ## Overview

            Undocumented attributes have the meaning that comparison of genuine receipts suggests, and may change at any time.
            ``AppReceipt/attributes`` and ``InAppPurchase/attributes`` contain the bytes of every attribute, known or not.

            """
        for (title, isPurchaseAttribute) in [("Receipts", false), ("Purchases", true)] {
            text += "\n## \(title)\n\n| type | name | format | documented by Apple |\n| --- | --- | --- | --- |\n"
            for type in AttributeType.allCases where type.isPurchaseAttribute == isPurchaseAttribute {
                let (name, format) = type.description
                text += "| \(type.rawValue) | \(name) | \(format.rawValue) | \(type.isDocumented ? "yes" : "no") |\n"
            }
        }
        return text
    }
}
