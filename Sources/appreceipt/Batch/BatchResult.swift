import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// The result for one record.
struct BatchResult: Sendable {
    enum Verdict: String, Sendable { case valid, invalid, error }

    struct Failure: Sendable {
        /// The check that failed; nil if the record wasn't validated.
        var check: String?
        let code: String
        let message: String
        /// The remedy; nil if the record is malformed, which the message explains.
        var remedy: String?

        init(check: String? = nil, code: String, message: String, remedy: String? = nil) {
            self.check = check
            self.code = code
            self.message = message
            self.remedy = remedy
        }

        /// The first failure of a report.
        init(_ result: CheckResult?) {
            let code = result?.code ?? ""
            self.init(
                check: result?.check.rawValue, code: code, message: result?.message ?? "",
                remedy: result?.remedy.map { CommandLineRemedies.remedy(for: code, $0) })
        }

        func write(to writer: inout JSONWriter) {
            writer.member("check", check)
            writer.member("code", code)
            writer.member("message", message)
            writer.member("remedy", remedy)
            writer.member("documentation", ErrorDocumentation.link(to: code))
        }
    }

    let verdict: Verdict
    /// The environment that the signature proves.
    var environment: AppStoreEnvironment?
    var failure: Failure?
    /// The app, and the original transaction of a token, as verified; nil if the record isn't valid or names none.
    var bundleIdentifier: String?
    var originalTransactionIdentifier: String?
    /// Writes the members of the receipt's contents; nil if there are none.
    var writeReceipt: (@Sendable (inout JSONWriter) -> Void)?
    /// The entitlements; empty unless the receipt or token is valid and fields of products were requested.
    var products: [Entitlement] = []
    /// The members of the transactions' rows; empty unless the receipt or token is valid and rows of transactions were
    /// requested.
    var transactions: [AppStoreJSON.Object?] = []
    /// The verified receipt or token; empty unless it is combined with others.
    var evidence = CustomerEvidence()

    /// Returns the result as JSON on one line, with a line break at its end.
    ///
    /// - Parameters:
    ///   - line: The line of the record.
    ///   - id: The id of the record.
    ///   - includesReceipt: Whether to include the receipt's contents.
    func text(line: Int, id: AppStoreJSON, includesReceipt: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.openObject()
        writer.member("line", number: line)
        writer.member("id", id)
        writer.member("verdict", verdict.rawValue)
        writer.member("environment", environment?.rawValue)
        if let failure {
            writer.openObject("failure")
            failure.write(to: &writer)
            writer.closeObject()
        } else {
            writer.member("failure", .null)
        }
        if includesReceipt, verdict != .error {
            if let writeReceipt {
                writer.openObject("receipt")
                writeReceipt(&writer)
                writer.closeObject()
            } else {
                writer.member("receipt", .null)
            }
        }
        writer.closeObject()
        return writer.bytes + [0x0A]
    }
}

extension BatchResult {
    /// The result for a record that isn't validated.
    init(_ malformed: BatchRecord.Malformed) {
        self.init(verdict: .error, failure: Failure(code: malformed.code, message: malformed.message))
    }
}
