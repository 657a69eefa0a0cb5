import AppReceiptKit
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// docs/errors.md is rendered from the sources: set `APPRECEIPT_RECORD=1` to write it anew (the test then fails, so
/// that nobody records by accident).
@Suite("ErrorCatalogue")
struct ErrorCatalogueTests {
    private static let codes =
        ReceiptError.Code.parsingCodes + ReceiptError.Code.trustCodes + ReceiptError.Code.checkCodes
        + ReceiptError.Code.signedDataCodes + ReceiptError.Code.verifyReceiptCodes

    /// Where they are defined.
    private static let sources = [
        "Sources/AppReceiptParsing/ReceiptErrorCodes.swift", "Sources/AppReceiptKit/Trust/TrustErrorCodes.swift",
        "Sources/AppReceiptKit/Checks/CheckErrorCodes.swift",
        "Sources/AppStoreSignedData/SignedDataErrorCodes.swift",
        "Sources/VerifyReceipt/VerifyReceiptErrorCodes.swift",
    ]

    @Test("docs/errors.md lists every code with its check, cause and remedy")
    func documentMatchesSource() throws {
        let rendered = Self.render()
        let file = Repository.root.appendingPathComponent("docs/errors.md")
        if ProcessInfo.processInfo.environment["APPRECEIPT_RECORD"] == "1" {
            try Data(rendered.utf8).write(to: file)
            Issue.record("docs/errors.md was written anew; run again without APPRECEIPT_RECORD.")
        }
        #expect(try Repository.text("docs/errors.md") == rendered)
    }

    @Test("every code that the sources define is in the catalogue")
    func catalogueIsComplete() throws {
        var defined: [String] = []
        for source in Self.sources {
            let lines = try Repository.text(source).components(separatedBy: "\n")
            for (line, next) in zip(lines, lines.dropFirst()) where line.contains("public static let") {
                defined.append(try #require(next.components(separatedBy: "\"").dropFirst().first, "\(line)"))
            }
        }
        #expect(defined.count > 90)
        #expect(Self.codes.map(\.rawValue).sorted() == defined.sorted())
    }

    @Test("no two codes share a name, and every one says what to do")
    func codesAreDistinct() {
        #expect(Set(Self.codes.map(\.rawValue)).count == Self.codes.count)
        for code in Self.codes {
            #expect(code.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(code)")
            #expect(code.cause.hasSuffix(".") && code.remedy.hasSuffix("."), "\(code)")
        }
    }

    @Test("every code is thrown or named somewhere besides its definition")
    func codesAreUsed() throws {
        let enumerator = try #require(
            FileManager.default.enumerator(
                at: Repository.root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil))
        var used = ""
        for case let file as URL in enumerator where file.pathExtension == "swift" {
            guard !file.lastPathComponent.hasSuffix("ErrorCodes.swift") else { continue }
            used += try String(contentsOf: file, encoding: .utf8)
        }
        let names = try Self.sources.flatMap { source in
            try Repository.text(source).components(separatedBy: "public static let ")
                .dropFirst().compactMap { $0.components(separatedBy: " ").first }
        }
        #expect(names.count == Self.codes.count)
        for name in names { #expect(used.contains(".\(name)"), "\(name) is never used") }
    }

    private static func render() -> String {
        var text = """
            # Errors

            Every way in which a receipt or signed data can fail, in the order of the checks of a receipt; those that only signed
            data has come last. The code is stable: programs may compare it. The
            message of an error may say more than the cause here, and for malformed bytes names the offset. Faults of the encoding
            arise in the container as well as in the payload and in signed attributes; the report says in which check.

            Checks that were skipped bear one of three codes that are no errors: `not-requested`, when nothing was given to compare
            with, `not-reached`, when an earlier check failed, and for signed data `not-applicable`, when such data has nothing to
            compare.


            """
        var current: ReceiptError.Stage?
        for stage in ReceiptError.Stage.allCases {
            for code in codes where code.stage == stage {
                if current != stage {
                    if current != nil { text += "\n" }
                    let title = stage == .input ? "The input (check `container`)" : "Check `\(stage.rawValue)`"
                    text += "## \(title)\n\n| code | cause | remedy |\n| --- | --- | --- |\n"
                    current = stage
                }
                text += "| `\(code.rawValue)` | \(code.cause) | \(code.remedy) |\n"
            }
        }
        text += """

            ## Lines of `appreceipt batch`

            | code | cause | remedy |
            | --- | --- | --- |
            | `line-malformed` | The line is not a record: not a JSON object or row, a member twice, an option that is null or empty in JSON, neither or both of `receipt` and `path`. | Look at the line; the others are answered. |
            | `line-too-long` | The line is longer than any record may be. | Look at the line; the others are answered. |
            | `option-conflict` | An option in the record allows something that the same option of the command does not allow. | Remove it from the record, or run the record with other options: a record can narrow the command's options, not widen or change them. |
            | `expectation-malformed` | An environment or device in the record is none. | Write it as `validate` takes it. |

            ## A fresh receipt from the store (`ReceiptRefreshError`)

            | code | cause | remedy |
            | --- | --- | --- |

            """
        for code in ReceiptRefreshError.Code.all {
            text += "| `\(code.rawValue)` | \(code.cause) | \(code.remedy) |\n"
        }
        return text
    }
}
