#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// The document on a token.
struct SignedDataDocument {
    let examiner: Examiner
    let token: String

    func answer(after members: [(name: String, json: [UInt8])]) -> InspectorResponse {
        let report = examiner.signedData.report(
            token, expecting: examiner.request.signedDataExpectations, now: examiner.now)
        var members = members
        func add(_ name: String, _ value: JSONValue) { members.append((name, value.text())) }
        add("kind", "signed-data")
        add("dataKind", .text(report.kind?.rawValue))
        add("verdict", .string(report.isValid ? "valid" : "invalid"))
        add("isProven", .boolean(report.isSigned))
        add("isOfTestKit", .boolean(isOfTestKit(report)))
        add("environment", .text(report.provenEnvironment?.rawValue))
        add("statedEnvironment", .text(Self.environment(in: report)))
        add("failure", failure(report))
        add("checks", .array(report.checks.map { json($0, report) }))
        add("certificates", .array(report.certificates.map(examiner.json)))
        add("validationDate", .date(report.signedDate))
        add("payload", report.payload.map { .object($0) } ?? .null)
        var nested = JSONObject()
        for (name, members) in report.nested.sorted(by: { $0.key < $1.key }) { nested[name] = .object(members) }
        add("nested", .object(nested))
        add("report", .string(String(decoding: report.json.text(isPretty: true), as: UTF8.self)))
        add("swift", .string(SwiftSnippet(report: report, token: token, examiner.request, trust: examiner.trust).text))
        // One that is too large was not read either.
        add("token", .text(token.utf8.count <= examiner.signedData.limits.tokenBytes ? token : nil))
        return InspectorResponse(JSONDocument(members), code: report.failure?.code.rawValue)
    }

    /// Whether the test kit's root signed what the configured roots did not. Its key is public, so this proves nothing.
    private func isOfTestKit(_ report: SignedDataReport) -> Bool {
        guard examiner.trust != .sample, report.failure?.code == .rootNotTrusted else { return false }
        return InspectorSample.signedData.report(
            token, expecting: examiner.request.signedDataExpectations, now: examiner.now
        ).isSigned
    }

    private func failure(_ report: SignedDataReport) -> JSONValue {
        guard let finding = report.firstFailure else { return .null }
        return [
            "check": .string(finding.check.rawValue), "code": .text(finding.code),
            "message": .string(finding.message), "remedy": .text(finding.remedy),
        ]
    }

    private func json(_ finding: SignedDataReport.CheckResult, _ report: SignedDataReport) -> JSONValue {
        [
            "name": .string(finding.check.rawValue), "outcome": .string(finding.outcome.rawValue),
            "code": .text(finding.code), "message": .string(finding.message), "remedy": .text(finding.remedy),
            "evidence": .array(evidence(finding.check, report).map(\.json)),
        ]
    }

    private func evidence(_ check: SignedDataCheck, _ report: SignedDataReport) -> [Evidence] {
        switch check {
        case .token:
            return [Evidence(name: "Size", found: "\(token.utf8.count) bytes")]
        case .payload:
            return report.payload.map { [Evidence(name: "Members", found: "\($0.members.count)")] } ?? []
        case .certificateChain:
            guard let date = report.signedDate else { return [] }
            return report.certificates.filter { $0.role != .unused }.map { certificate in
                Evidence(
                    name: certificate.commonName,
                    found: Evidence.validity(of: certificate),
                    expected: "valid at \(ReceiptDate.string(from: date))")
            }
        case .signature:
            return report.payload == nil ? [] : [Evidence(name: "Algorithm", found: "ES256", expected: "ES256")]
        case .bundleIdentifier:
            guard case .identifier(let expected) = examiner.request.expectations.bundleIdentifier else {
                return Self.bundle(in: report).map { [Evidence(name: "Bundle identifier", found: $0)] } ?? []
            }
            return [Evidence(name: "Bundle identifier", found: Self.bundle(in: report), expected: expected)]
        case .environment:
            let names = examiner.request.environments.map(\.rawValue).joined(separator: " or ")
            return [
                Evidence(
                    name: "Environment", found: Self.environment(in: report), expected: names.isEmpty ? nil : names)
            ]
        case .nestedData:
            return report.nested.sorted { $0.key < $1.key }.map {
                Evidence(name: $0.key, found: "\($0.value.members.count) members")
            }
        case .appAppleIdentifier, .deviceVerification:
            return []
        }
    }

    /// The members that name app and environment stand at the top, or among what a notification is about.
    private static func text(_ names: [String], in report: SignedDataReport) -> String? {
        guard let payload = report.payload else { return nil }
        let inner = ["data", "appData", "summary", "externalPurchaseToken"].compactMap { payload[$0]?.object }
        for object in [payload] + inner {
            for name in names { if let text = object[name]?.string { return text } }
        }
        return nil
    }

    private static func environment(in report: SignedDataReport) -> String? {
        text(["environment", "receiptType"], in: report)
    }

    static func bundle(in report: SignedDataReport) -> String? { text(["bundleId"], in: report) }
}
#endif
