#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData

/// Swift code that verifies an input with this package, to paste into a project.
struct SwiftSnippet {
    let text: String

    /// The maximum size of a receipt that the snippet contains. Larger ones are read from a file.
    private static let maxInlineBytes = 24 << 10

    private static let otherRootNote =
        "// This was verified under a root other than Apple's. Pass that root to the verifier as its anchors."

    init(report: ReceiptReport, der: ArraySlice<UInt8>?, _ request: InspectorRequest, trust: Inspector.Trust) {
        let base64 = der.flatMap { $0.count <= Self.maxInlineBytes ? Data($0).base64EncodedString() : nil }
        var lines = ["import AppReceiptKit", ""]
        let isAny = request.environments.isEmpty
        if let base64 {
            lines += ["/// The receipt, in base64.", "let receiptInBase64 = \"\(base64)\"", ""]
        }
        lines += [
            "/// Prints the result of every check, and returns the receipt if none failed.",
            "func checkReceipt(_ receipt: some Collection<UInt8>) -> VerifiedReceipt? {",
            "    let expectations = Expectations(",
            "        bundleIdentifier: \(Self.bundle(of: request, stated: report.receipt?.bundleIdentifier)),",
            "        environments: \(Self.environments(of: request, stated: report.receipt?.environment?.base))"
                + Self.versions(request) + ")",
            "    let report = ReceiptVerifier().report(receipt, expecting: expectations)",
            "    for result in report.checks {",
            "        print(result.outcome.rawValue, result.check.rawValue, result.message)",
            "    }",
            "    return try? report.result.get()",
            "}", "",
        ]
        if base64 != nil {
            lines += ["func checkThisReceipt() -> VerifiedReceipt? { checkReceipt(Array(receiptInBase64.utf8)) }"]
        } else {
            lines += ["// checkReceipt(try Data(contentsOf: URL(fileURLWithPath: \"receipt\")))"]
        }
        if isAny, let base = report.receipt?.environment?.base {
            lines += ["// This receipt claims “\(base.rawValue)”. Name the environments that your app accepts."]
        }
        if trust != .apple { lines.append(Self.otherRootNote) }
        text = lines.joined(separator: "\n") + "\n"
    }

    init(report: SignedDataReport, token: String, _ request: InspectorRequest, trust: Inspector.Trust) {
        let environment = report.provenEnvironment
        let (function, type, token) = (Self.function(report.kind), Self.type(report.kind), Self.literal(token))
        var lines = [
            "import AppStoreSignedData", "",
            "/// The signed data.",
            "let signedData = \(token)", "",
            "/// Returns the verified data, or throws the first failure.",
            "func checkSignedData() throws(ReceiptError) -> \(type) {",
            "    let expectations = SignedDataExpectations(",
            "        bundleIdentifier: \(Self.bundle(of: request, stated: SignedDataDocument.bundle(in: report))),",
            "        environments: \(Self.environments(of: request, stated: environment)),",
            "        appAppleIdentifier: .anyApp)",
            "    return try SignedDataVerifier().\(function)(signedData, expecting: expectations)",
            "}",
        ]
        if trust != .apple { lines.append(Self.otherRootNote) }
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func function(_ kind: SignedDataKind?) -> String {
        switch kind {
        case .renewalInfo: "verifyRenewalInfo"
        case .appTransaction: "verifyAppTransaction"
        case .notification: "verifyNotification"
        case .realtimeRequest: "verifyRealtimeRequest"
        case .transaction, nil: "verifyTransaction"
        }
    }

    private static func type(_ kind: SignedDataKind?) -> String {
        switch kind {
        case .renewalInfo: "VerifiedRenewalInfo"
        case .appTransaction: "VerifiedAppTransaction"
        case .notification: "VerifiedNotification"
        case .realtimeRequest: "VerifiedRealtimeRequest"
        case .transaction, nil: "VerifiedTransaction"
        }
    }

    private static func bundle(of request: InspectorRequest, stated: String?) -> String {
        if let identifier = request.expectations.bundleIdentifier.single { return literal(identifier) }
        return stated.map(literal) ?? ".anyBundle"
    }

    private static func environments(of request: InspectorRequest, stated: AppStoreEnvironment?) -> String {
        let named = request.environments.isEmpty ? stated.map { [$0] } ?? [] : request.environments
        return named.isEmpty ? ".anyEnvironment" : "[" + named.map { ".\($0.rawValue)" }.joined(separator: ", ") + "]"
    }

    private static func versions(_ request: InspectorRequest) -> String {
        let expected = request.expectations
        return (expected.appVersion.map { ",\n        appVersion: \(literal($0))" } ?? "")
            + (expected.originalAppVersion.map { ",\n        originalAppVersion: \(literal($0))" } ?? "")
    }

    /// Returns a string literal with exactly this text. Printable ASCII is written as it is, everything else as
    /// escapes.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            let isPlain =
                scalar.isASCII && scalar.value >= 0x20 && scalar.value < 0x7F && scalar != "\"" && scalar != "\\"
            if isPlain {
                literal.unicodeScalars.append(scalar)
            } else {
                literal += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return literal + "\""
    }
}
#endif
