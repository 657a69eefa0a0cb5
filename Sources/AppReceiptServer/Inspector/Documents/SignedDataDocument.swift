#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// The inspector's document for signed data.
struct SignedDataDocument {
    let inspection: Inspection
    let token: String
    /// The claims of an input that is nothing but unsigned data; nil for others.
    let claimed: ClaimedPurchases?

    /// Adds the members of a token to the document.
    func response(extending document: JSONDocument) throws -> InspectorResponse {
        let report = inspection.signedData.report(
            token, expecting: inspection.request.signedDataExpectations, now: inspection.now
        ).withServerRemedies
        var document = document
        document.add("kind", "signed-data")
        document.add("dataKind", .text(report.kind?.rawValue))
        document.add("receiptOptions", .array(inspection.request.receiptOptions.map { .string($0) }))
        document.add("isOfTestKit", .boolean(isOfTestKit(report)))
        document.add("statedEnvironment", .text(Self.environment(in: report)))
        inspection.add(report, to: &document)
        document.add("checks", .array(report.checks.map { $0.json(facts: facts(about: $0.check, in: report)) }))
        let verified = try? report.result.get()
        document.add("summary", verified.map { SignedDataSummary($0).json } ?? .null)
        document.add("claimed", (claimed ?? ClaimedPurchases(token))?.json ?? .null)
        document.add("payload", (report.payload ?? unsignedPayload(report)).map { .object($0) } ?? .null)
        var nested = AppStoreJSON.Object()
        for (name, members) in report.nested.sorted(by: { $0.key < $1.key }) { nested[name] = .object(members) }
        document.add("nested", .object(nested))
        let snippet = SwiftSnippet(
            report: report, token: token, inspection.request,
            trust: inspection.trust(of: report.certificates))
        document.add("swift", .string(snippet.text))
        // A token beyond the limit wasn't parsed.
        document.add("token", .text(token.utf8.count <= inspection.signedData.limits.maxTokenBytes ? token : nil))
        return InspectorResponse(
            document: document, failure: report.failure, proof: verified.map(proof),
            products: report.entitlements?.all ?? [], now: inspection.now,
            namedTransactions: verified == nil ? Self.transactions(in: report) : [], signedDataReport: report)
    }

    /// Returns the members of StoreKit 2's JSON, which has no other parts.
    private func unsignedPayload(_ report: SignedDataReport) -> AppStoreJSON.Object? {
        guard report.failure?.code == .tokenUnsigned else { return nil }
        return (try? AppStoreJSON(parsing: Array(token.utf8)[...], depth: 16))?.object
    }

    private func proof(of data: VerifiedSignedData) -> InspectorResponse.Proof {
        var evidence = CustomerEvidence()
        evidence.add(data)
        return InspectorResponse.Proof(
            evidence: evidence,
            // Renewal information names no app.
            app: data.bundleIdentifier ?? inspection.request.expectations.bundleIdentifier.single,
            environment: data.transaction?.environment ?? data.renewalInfo?.environment
                ?? data.notification?.environment)
    }

    /// Returns whether the token was signed under the test kit's root and not under a configured root. The key is
    /// public, so this proves nothing.
    private func isOfTestKit(_ report: SignedDataReport) -> Bool {
        guard !inspection.isSample, report.failure?.code == .rootNotTrusted else { return false }
        // Nothing is verified twice: no signature was verified before, because no trusted root matched.
        return InspectorSample.signedData.report(
            token, expecting: inspection.request.signedDataExpectations, now: inspection.now
        ).isSigned
    }

    /// Returns whether the signature was checked. Otherwise its algorithm explains nothing.
    private func ranSignature(_ report: SignedDataReport) -> Bool {
        report.checks.contains { $0.check == .signature && $0.outcome != .skipped }
    }

    private func facts(about check: ValidationCheck, in report: SignedDataReport) -> [CheckFact] {
        switch check {
        case .token:
            return [CheckFact(name: "Size", found: "\(token.utf8.count) bytes")]
        case .payload:
            return report.payload.map { [CheckFact(name: "Members", found: "\($0.members.count)")] } ?? []
        case .certificateChain:
            return ChainFacts(report, roots: inspection.roots).facts
        case .signature:
            return !ranSignature(report) ? [] : [CheckFact(name: "Algorithm", found: "ES256", expected: "ES256")]
        case .bundleIdentifier:
            let fact = inspection.bundleFact(found: Self.bundle(in: report))
            return fact.found == nil && fact.expected == nil ? [] : [fact]
        case .environment:
            return [inspection.environmentFact(found: Self.environment(in: report))]
        case .nestedData:
            return report.nested.sorted { $0.key < $1.key }.map {
                CheckFact(name: $0.key, found: "\($0.value.members.count) members")
            }
        default:
            return []
        }
    }

    /// Returns the first of the named strings in the payload, or in the object of a notification.
    private static func text(_ names: [String], in report: SignedDataReport) -> String? {
        guard let payload = report.payload else { return nil }
        let inner = ["data", "appData", "summary", "externalPurchaseToken", "unclaimInfo"].compactMap {
            payload[$0]?.object
        }
        for object in [payload] + inner {
            for name in names { if let text = object[name]?.string { return text } }
        }
        return nil
    }

    /// Returns the transactions in the payload and in the tokens of a notification.
    private static func transactions(in report: SignedDataReport) -> [String] {
        let payloads = [report.payload].compactMap { $0 } + report.nested.sorted { $0.key < $1.key }.map(\.value)
        return payloads.compactMap { $0["originalTransactionId"]?.string ?? $0["transactionId"]?.string }
    }

    private static func environment(in report: SignedDataReport) -> String? {
        text(["environment", "receiptType"], in: report)
    }

    static func bundle(in report: SignedDataReport) -> String? { report.contents?.claimedBundleIdentifier }
}
#endif
