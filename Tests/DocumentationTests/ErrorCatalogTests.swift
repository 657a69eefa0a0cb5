import AppReceiptKit
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// docs/errors.md is generated from the sources. Set `APPRECEIPT_RECORD=1` to write it; the test then fails, so that nobody
/// records by accident.
@Suite("Error catalog")
struct ErrorCatalogTests {
    private static let codes =
        ReceiptError.Code.parsingCodes + ReceiptError.Code.trustCodes + ReceiptError.Code.checkCodes
        + ReceiptError.Code.signedDataCodes + ReceiptError.Code.verifyReceiptCodes

    /// The files that define the codes.
    private static let sources = [
        "Sources/AppReceiptParsing/ReceiptErrorCode+Parsing.swift",
        "Sources/AppReceiptKit/Trust/ReceiptErrorCode+Trust.swift",
        "Sources/AppReceiptKit/Checks/ReceiptErrorCode+Checks.swift",
        "Sources/AppStoreSignedData/ReceiptErrorCode+SignedData.swift",
        "Sources/VerifyReceipt/ReceiptErrorCode+VerifyReceipt.swift",
    ]

    @Test("docs/errors.md lists every code with its check, cause and remedy")
    func documentMatchesSource() throws {
        let rendered = Self.render()
        let file = Repository.root.appendingPathComponent("docs/errors.md")
        if ProcessInfo.processInfo.environment["APPRECEIPT_RECORD"] == "1" {
            try Data(rendered.utf8).write(to: file)
            Issue.record("docs/errors.md was written. Run again without APPRECEIPT_RECORD.")
        }
        #expect(try Repository.text("docs/errors.md") == rendered)
    }

    @Test("Every code that the sources define is in the catalog")
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

    @Test("Codes have distinct names, a cause and a remedy")
    func codesAreDistinct() {
        #expect(Set(Self.codes.map(\.rawValue)).count == Self.codes.count)
        for code in Self.codes {
            #expect(code.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(code)")
            #expect(code.cause.hasSuffix(".") && code.remedy.hasSuffix("."), "\(code)")
        }
    }

    @Test("Every code is used outside its definition")
    func codesAreUsed() throws {
        let enumerator = try #require(
            FileManager.default.enumerator(
                at: Repository.root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil))
        var used: Set<Substring> = []
        for case let file as URL in enumerator where file.pathExtension == "swift" {
            guard !file.lastPathComponent.hasPrefix("ReceiptErrorCode+") else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for member in text.split(separator: ".").dropFirst() {
                used.insert(member.prefix { $0.isLetter || $0.isNumber })
            }
        }
        let names = try Self.sources.flatMap { source in
            try Repository.text(source).components(separatedBy: "public static let ")
                .dropFirst().compactMap { $0.components(separatedBy: " ").first }
        }
        #expect(names.count == Self.codes.count)
        for name in names { #expect(used.contains(name[...]), "\(name) is never used") }
    }

    private static func render() -> String {
        var text = """
            # Errors

            Look up why a receipt or signed data failed, and what to do about it. The order is that of the checks of a receipt; checks
            of signed data alone come last. Codes are stable: programs may compare them. The message of an error may be more
            specific than the cause here, and contains the offset of malformed bytes. Encoding errors occur in the container, in the
            payload and in signed attributes; the report names the check.

            Skipped checks have one of three codes that aren't errors: `not-requested` if no value was given to compare with,
            `not-reached` if an earlier check failed, and `not-applicable` if such signed data has nothing to compare.

            Some genuine signed data is too old to be accepted:

            | data | lacks | result |
            | --- | --- | --- |
            | early notifications (seen: March 2022) | `signedDate` | `signed-date-missing`: there is no date at which to validate the certificates. The transaction and renewal information inside have dates, and can be verified by themselves |
            | early transactions (seen: 2021) | `environment` | `environment-missing`, unless any environment is accepted. They give no entitlement |

            Request newer copies from the App Store Server API, or from the app.


            """
        var current: ReceiptError.Stage?
        let stages = [
            ReceiptError.Stage.parsingStages, ReceiptError.Stage.verificationStages,
            ReceiptError.Stage.signedDataStages,
        ]
        for stage in stages.flatMap(\.self) {
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
            | `line-malformed` | The line isn't a record: not a JSON object or row, a member twice, an option that is null or empty in JSON, neither or both of `receipt` and `path`. | Fix the line. The other records have results. |
            | `line-too-long` | The line exceeds the limit for a record. | Fix the line. The other records have results. |
            | `option-conflict` | An option in the record allows something that the same option of the command doesn't allow. | Remove it from the record, or run the record with other options: a record can narrow the command's options, not widen or change them. |
            | `expectation-malformed` | An environment or device in the record can't be parsed. | Write it as for `validate`. |

            ## Requests for a new receipt (`ReceiptRefreshError`)

            | code | cause | remedy |
            | --- | --- | --- |

            """
        for code in ReceiptRefreshError.Code.all {
            text += "| `\(code.rawValue)` | \(code.cause) | \(code.remedy) |\n"
        }
        return text
    }
}
