import AppReceiptKit
import AppReceiptTesting
import Crypto
import CryptoExtras
import Foundation

#if canImport(ClassicMethod)
import ClassicMethod
#endif

extension Speed {
    struct Wrong: Error, CustomStringConvertible {
        let description: String
    }

    /// Creates all benchmarks, the baselines first.
    ///
    /// - Parameter name: The only benchmark to run, or nil for all. Receipts for other benchmarks aren't created.
    static func all(needed name: String? = nil) throws -> Speed {
        var speed = Speed()
        let recent = Date(timeIntervalSince1970: 1_719_932_645)  // 2024-07-02
        let old = Date(timeIntervalSince1970: 1_593_702_245)  // 2020-07-02
        let pki = TestPKI.sizedLikeApple(.standard)
        func isNeeded(_ shape: String) -> Bool { name.map { $0.hasSuffix(shape) || $0.contains("\(shape)-") } ?? true }
        let small = try ReceiptSeries(purchases: 4, pki: pki, created: recent)
        try speed.addBaseline(over: small.content)
        try speed.add(small, "6k", classic: true)
        try speed.addAnswers(small, "6k")
        try speed.addThreads(small)
        if isNeeded("79k") {
            let large = try ReceiptSeries(purchases: 187, pki: .sizedLikeApple(.sha1), created: old)
            let content = large.content
            speed.add("hash-79k-sha1") { _ in blackHole(Insecure.SHA1.hash(data: content)) }
            try speed.add(large, "79k", classic: true)
            try speed.addAnswers(large, "79k")
        }
        if isNeeded("6k-ber") {
            let inPieces = { (container: inout TestContainer) in container.encoding = .ber(pieces: 3) }
            try speed.add(ReceiptSeries(purchases: 4, pki: pki, created: recent, encoded: inPieces), "6k-ber")
        }
        if isNeeded("6k-base64") {
            let base64 = { (bytes: [UInt8]) in Array(Data(bytes).base64EncodedString().utf8) }
            try speed.add(ReceiptSeries(purchases: 4, pki: pki, created: recent, text: base64), "6k-base64")
        }
        if isNeeded("2000-purchases") {
            try speed.add(ReceiptSeries(purchases: 2_000, count: 8, pki: pki, created: recent), "2000-purchases")
        }
        if isNeeded("20000-purchases") {
            let largest = try ReceiptSeries(purchases: 20_000, count: 2, pki: pki, created: recent)
            try speed.add(largest, "20000-purchases")
            try speed.addEntitlements(largest, "20000-purchases")
        }
        if isNeeded("genuine") { try speed.addGenuine() }
        if isNeeded("warm") || isNeeded("cold") || isNeeded("verification") { try speed.addSignedData() }
        return speed
    }

    /// Adds the genuine receipts in the tests' folder that are valid under Apple's roots.
    private mutating func addGenuine() throws {
        let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let folder =
            ProcessInfo.processInfo.environment["APPRECEIPT_GENUINE_RECEIPTS"].map { URL(fileURLWithPath: $0) }
            ?? package.deletingLastPathComponent().appendingPathComponent("shared/receipts")
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        let verifier = ReceiptVerifier()
        let expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let receipts = try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
            .filter { (try? verifier.verify($0, expecting: expectations, now: now)) != nil }
        guard !receipts.isEmpty else { return complain("SKIPPED: genuine receipts; there are none in \(folder.path).") }
        let totals = try receipts.map { Totals(try AppReceipt(parsing: $0)) }
        add("parse-genuine", variants: receipts.count) { index in
            guard Totals(try AppReceipt(parsing: receipts[index])) == totals[index] else {
                throw Wrong(description: "genuine: unexpected totals")
            }
        }
        add("verify-genuine-warm", variants: receipts.count) { index in
            let verified = try verifier.verify(receipts[index], expecting: expectations, now: now)
            guard Totals(verified.receipt) == totals[index] else {
                throw Wrong(description: "genuine: unexpected totals")
            }
        }
    }

    private mutating func addBaseline(over content: [UInt8]) throws {
        // The key and digest are created before, so that only the verification is measured.
        let key = try _RSA.Signing.PublicKey(derRepresentation: TestKey.signer.publicKeyInfo)
        let digest = SHA256.hash(data: content)
        let signature = _RSA.Signing.RSASignature(
            rawRepresentation: try TestKey.signer.signature(for: content, digest: .sha256))
        add(Speed.baseline) { _ in
            guard key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
                throw Wrong(description: "the baseline's signature is invalid")
            }
        }
        add("hash-6k-sha256") { _ in blackHole(SHA256.hash(data: content)) }
    }

    /// Adds parsing and verifying the receipts of a series.
    private mutating func add(_ series: ReceiptSeries, _ name: String, classic: Bool = false) throws {
        let anchors = try TrustAnchors(der: [series.root])
        let verifier = ReceiptVerifier(anchors: anchors)
        let expectations = Expectations(bundleIdentifier: "com.example.app.benchmarks", environments: [.production])
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let count = series.receipts.count
        func check(_ receipt: AppReceipt, _ index: Int) throws {
            guard Totals(receipt) == series.totals[index] else {
                throw Wrong(description: "\(name): unexpected totals")
            }
        }
        #if canImport(ClassicMethod)
        if classic { try addClassic(series, name) }
        #endif
        add("parse-\(name)", classic: "openssl-parse-\(name)", variants: count) { index in
            try check(AppReceipt(parsing: series.receipts[index]), index)
        }
        add("verify-\(name)-warm", classic: "openssl-verify-\(name)", variants: count) { index in
            try check(verifier.verify(series.receipts[index], expecting: expectations, now: now).receipt, index)
        }
        add("verify-\(name)-cold", classic: "openssl-verify-\(name)", variants: count) { index in
            // A new verifier has no cached chains.
            let cold = ReceiptVerifier(anchors: anchors)
            try check(cold.verify(series.receipts[index], expecting: expectations, now: now).receipt, index)
        }
    }

    /// Adds the derivation of entitlements from the verified receipts of a series.
    private mutating func addEntitlements(_ series: ReceiptSeries, _ name: String) throws {
        let verifier = ReceiptVerifier(anchors: try TrustAnchors(der: [series.root]))
        let expectations = Expectations(bundleIdentifier: "com.example.app.benchmarks", environments: [.production])
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let verified = try series.receipts.map { try verifier.verify($0, expecting: expectations, now: now) }
        add("entitlements-\(name)", verification: "verify-\(name)-warm", variants: verified.count) { index in
            let entitlements = verified[index].entitlements(at: now)
            let products = Set(verified[index].receipt.purchases.prefix(7).compactMap(\.productIdentifier))
            guard entitlements.transactions.count == verified[index].receipt.purchases.count,
                Set(entitlements.all.map(\.productIdentifier)) == products
            else { throw Wrong(description: "\(name): unexpected entitlements") }
        }
    }

    /// Adds one verifier that is shared by a thread for each core and, to show how the machine itself scales, the
    /// baseline.
    private mutating func addThreads(_ series: ReceiptSeries) throws {
        let verifier = ReceiptVerifier(anchors: try TrustAnchors(der: [series.root]))
        let expectations = Expectations(bundleIdentifier: "com.example.app.benchmarks", environments: [.production])
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        addThreads("verify-6k") { number in
            let index = number % series.receipts.count
            let verified = try? verifier.verify(series.receipts[index], expecting: expectations, now: now)
            return verified.map { Totals($0.receipt) } == series.totals[index]
        }
        let key = try _RSA.Signing.PublicKey(derRepresentation: TestKey.signer.publicKeyInfo)
        let digest = SHA256.hash(data: series.content)
        let signature = _RSA.Signing.RSASignature(
            rawRepresentation: try TestKey.signer.signature(for: series.content, digest: .sha256))
        addThreads(Self.baseline) { _ in
            key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5)
        }
    }

    /// Adds a benchmark whose calls are much longer than waking a thread, and whose parts run on whichever thread is
    /// free.
    private mutating func addThreads(_ name: String, _ isRight: @escaping @Sendable (Int) -> Bool) {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let parts = cores * 16
        let each = 64
        add("\(name)-\(cores)-threads", receipts: parts * each) { _ in
            let failures = (0..<parts).map { _ in Failures() }
            DispatchQueue.concurrentPerform(iterations: parts) { part in
                for number in 0..<each where !isRight(part + number * parts) { failures[part].count += 1 }
            }
            guard failures.allSatisfy({ $0.count == 0 }) else { throw Wrong(description: "\(name): threads failed") }
        }
    }

    /// Counts failures. Each is written by one thread, and read after all threads have finished.
    private final class Failures: @unchecked Sendable {
        var count = 0
    }

    #if canImport(ClassicMethod)
    private mutating func addClassic(_ series: ReceiptSeries, _ name: String) throws {
        guard let store = unsafe classic_store_new(series.root, series.root.count) else {
            throw Wrong(description: "OpenSSL cannot parse the root")
        }
        let count = series.receipts.count
        func check(_ isGood: Int32, _ totals: classic_totals, _ index: Int) throws {
            guard isGood == 1 else { throw Wrong(description: "\(name): OpenSSL rejects a valid receipt") }
            guard Totals(totals) == series.totals[index] else {
                throw Wrong(description: "\(name): OpenSSL's totals differ")
            }
        }
        add("openssl-parse-\(name)", variants: count) { index in
            var totals = classic_totals()
            let receipt = series.receipts[index]
            try check(unsafe classic_parse(receipt, receipt.count, &totals), totals, index)
        }
        add("openssl-verify-\(name)", variants: count) { index in
            var totals = classic_totals()
            let receipt = series.receipts[index]
            try check(unsafe classic_verify(store, receipt, receipt.count, &totals), totals, index)
        }
    }
    #endif
}

/// Prevents the compiler from removing the computation of an unused value.
@inline(never)
func blackHole(_ value: some Any) {}
