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

    /// Everything that is measured, the yardsticks first.
    static func all() throws -> Speed {
        var speed = Speed()
        let recent = Date(timeIntervalSince1970: 1_719_932_645)  // 2024-07-02
        let old = Date(timeIntervalSince1970: 1_593_702_245)  // 2020-07-02
        let pki = TestPKI.sizedLikeApple(.standard)
        let small = try ReceiptSeries(purchases: 4, pki: pki, created: recent)
        let large = try ReceiptSeries(purchases: 187, pki: .sizedLikeApple(.sha1), created: old)
        try speed.addYardsticks(small, large)
        try speed.add(small, "6k", classic: true)
        try speed.add(large, "79k", classic: true)
        let ber = try ReceiptSeries(purchases: 4, pki: pki, created: recent, encoded: { $0.encoding = .ber(pieces: 3) })
        try speed.add(ber, "6k-ber")
        let base64 = try ReceiptSeries(
            purchases: 4, pki: pki, created: recent, text: { Array(Data($0).base64EncodedString().utf8) })
        try speed.add(base64, "6k-base64")
        try speed.add(ReceiptSeries(purchases: 2_000, count: 8, pki: pki, created: recent), "2000-purchases")
        try speed.add(ReceiptSeries(purchases: 20_000, count: 2, pki: pki, created: recent), "20000-purchases")
        try speed.addThreads(small)
        return speed
    }

    private mutating func addYardsticks(_ small: ReceiptSeries, _ large: ReceiptSeries) throws {
        // Key and digest are ready: nothing is measured but the verification.
        let privateKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let key = privateKey.publicKey
        let digest = SHA256.hash(data: small.content)
        let signature = try privateKey.signature(for: digest, padding: .insecurePKCS1v1_5)
        add(Speed.yardstick) { _ in
            guard key.isValidSignature(signature, for: digest, padding: .insecurePKCS1v1_5) else {
                throw Wrong(description: "the yardstick's signature is not valid")
            }
        }
        let (smallContent, largeContent) = (small.content, large.content)
        add("hash-6k-sha256") { _ in blackHole(SHA256.hash(data: smallContent)) }
        add("hash-79k-sha1") { _ in blackHole(Insecure.SHA1.hash(data: largeContent)) }
    }

    /// Reading and verifying the receipts of a series.
    private mutating func add(_ series: ReceiptSeries, _ name: String, classic: Bool = false) throws {
        let anchors = try TrustAnchors(certificates: [series.root])
        let verifier = ReceiptVerifier(anchors: anchors)
        let expectations = Expectations(bundleIdentifier: "com.example.app.benchmarks", environments: [.production])
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let count = series.receipts.count
        func check(_ receipt: AppReceipt, _ index: Int) throws {
            guard Totals(receipt) == series.totals[index] else { throw Wrong(description: "\(name): other totals") }
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
            // A verifier of its own, which has seen no chain.
            let cold = ReceiptVerifier(anchors: anchors)
            try check(cold.verify(series.receipts[index], expecting: expectations, now: now).receipt, index)
        }
    }

    /// One verifier shared by as many threads as there are cores.
    private mutating func addThreads(_ series: ReceiptSeries) throws {
        let verifier = ReceiptVerifier(anchors: try TrustAnchors(certificates: [series.root]))
        let expectations = Expectations(bundleIdentifier: "com.example.app.benchmarks", environments: [.production])
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let each = 200
        add("verify-6k-\(cores)-threads", receipts: cores * each) { _ in
            let failures = (0..<cores).map { _ in Failures() }
            DispatchQueue.concurrentPerform(iterations: cores) { thread in
                for number in 0..<each {
                    let index = (thread + number * cores) % series.receipts.count
                    let verified = try? verifier.verify(series.receipts[index], expecting: expectations, now: now)
                    if verified.map({ Totals($0.receipt) }) != series.totals[index] { failures[thread].count += 1 }
                }
            }
            guard failures.allSatisfy({ $0.count == 0 }) else { throw Wrong(description: "threads: not verified") }
        }
    }

    /// Written by one thread each, read after all have ended.
    private final class Failures: @unchecked Sendable {
        var count = 0
    }

    #if canImport(ClassicMethod)
    private mutating func addClassic(_ series: ReceiptSeries, _ name: String) throws {
        guard let store = unsafe classic_store_new(series.root, series.root.count) else {
            throw Wrong(description: "OpenSSL does not read the root")
        }
        let count = series.receipts.count
        func check(_ isGood: Int32, _ totals: classic_totals, _ index: Int) throws {
            guard isGood == 1 else { throw Wrong(description: "\(name): OpenSSL refuses a good receipt") }
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

/// Keeps the compiler from leaving out what makes a value that nobody uses.
@inline(never)
func blackHole(_ value: some Any) {}
