import AppReceiptKit
import AppReceiptValidator
import Foundation
import Testing
import VerifyReceipt

/// The article for readers of tutorials translates the names of errors elsewhere to codes.
@Suite("Names of errors elsewhere")
struct ErrorNameTests {
    private static let article = "Sources/AppReceiptKit/Documentation.docc/ComingFromATutorial.md"

    /// The cells of the table under a heading, without its head.
    private func rows(under heading: String) throws -> [[String]] {
        let text = try Repository.text(Self.article)
        let section = try #require(text.components(separatedBy: "## \(heading)\n").dropFirst().first)
        let lines = section.components(separatedBy: "\n## ")[0].components(separatedBy: "\n")
        return lines.filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
            line.components(separatedBy: "|").dropFirst().dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// The words of a cell in code voice.
    private func words(of cell: String?) -> [String] {
        let parts = cell?.components(separatedBy: "`") ?? []
        return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
    }

    @Test(
        "Every code in the tables exists",
        arguments: [("The five tests", 6), ("Names of errors", 43), ("Statuses of verifyReceipt", 15)])
    func codesExist(_ heading: String, _ count: Int) throws {
        let known = Set(ErrorCatalog.codes.map(\.rawValue))
        let codes = try rows(under: heading).flatMap { words(of: $0.last) }
        #expect(codes.count >= count)
        for code in codes { #expect(known.contains(code), "\(code)") }
    }

    @Test("The codes of a status of verifyReceipt have that status")
    func statuses() throws {
        let entries = Dictionary(
            uniqueKeysWithValues: ErrorCatalog.groups.flatMap(\.entries).map { ($0.code, $0.status) })
        // An ended subscription isn't rejected: its response has the status 21006 and the data.
        for row in try rows(under: "Statuses of verifyReceipt") where row[0] != "21006" {
            for code in words(of: row.last) { #expect(entries[code]??.description == row[0], "\(code)") }
        }
    }

    @Test("The table of names has AppReceiptValidator's errors, except those of its arguments")
    func validatorErrors() throws {
        let names = Set(try rows(under: "Names of errors").flatMap { words(of: $0.first) })
        let errors = Set((0..<100).compactMap { AppReceiptValidator.Error(rawValue: $0) })
        #expect(errors.count == 16)
        for error in errors.subtracting([.couldNotGetExpectedPropertyValue, .unknown]) {
            #expect(names.contains("\(error)"), "\(error)")
        }
    }
}
