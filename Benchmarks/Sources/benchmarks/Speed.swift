import Allocations
import AppReceiptKit
import AppReceiptTesting
import Crypto
import CryptoExtras
import Foundation

#if canImport(ClassicMethod)
import ClassicMethod
#endif

/// Measures the time of parsing and verifying receipts, and of baselines in the same run.
///
/// The benchmarks take turns of a millisecond, so that other load on the machine affects all of them equally. The
/// results are medians over the turns.
struct Speed {
    /// One benchmark.
    struct Benchmark {
        let name: String
        /// The name of the benchmark that does the same with OpenSSL.
        var classic: String?
        /// The name of the benchmark that verifies the same receipts.
        var verification: String?
        /// The number of different inputs. `body` receives their indices in turn.
        let variants: Int
        /// The number of receipts in one call, more than one if threads share the work.
        var receipts = 1
        /// Whether the baseline is the verification of an elliptic-curve signature instead of an RSA signature.
        var isElliptic = false
        let body: (Int) throws -> Void
    }

    /// The result of one benchmark.
    struct Result: Encodable {
        let name: String
        let median: Double
        let least: Double
        let most: Double
        var timesRSA: Double?
        var timesP256: Double?
        var timesOpenSSL: Double?
        var timesVerification: Double?
        let allocations: Double?

        enum CodingKeys: String, CodingKey {
            case name, allocations
            case median = "median_ns"
            case least = "min_ns"
            case most = "max_ns"
            case timesRSA = "x_rsa"
            case timesP256 = "x_p256"
            case timesOpenSSL = "x_openssl"
            case timesVerification = "x_verification"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(median, forKey: .median)
            try container.encode(least, forKey: .least)
            try container.encode(most, forKey: .most)
            // Ratios that don't apply are null, not omitted.
            try container.encode(timesRSA, forKey: .timesRSA)
            try container.encode(timesP256, forKey: .timesP256)
            try container.encode(timesOpenSSL, forKey: .timesOpenSSL)
            try container.encode(timesVerification, forKey: .timesVerification)
            try container.encode(allocations, forKey: .allocations)
        }
    }

    static let baseline = "rsa-verification"
    static let ellipticBaseline = "p256-verification"

    private(set) var benchmarks: [Benchmark] = []

    mutating func add(
        _ name: String, classic: String? = nil, verification: String? = nil, variants: Int = 1, receipts: Int = 1,
        isElliptic: Bool = false,
        _ body: @escaping (Int) throws -> Void
    ) {
        benchmarks.append(
            Benchmark(
                name: name, classic: classic, verification: verification, variants: variants, receipts: receipts,
                isElliptic: isElliptic, body: body))
    }

    /// Runs all benchmarks for about this many seconds.
    func run(seconds: Double, progress: (String) -> Void) throws -> [Result] {
        // Shorter than a scheduler's time slice, so that most turns aren't interrupted.
        let turn = 1_000_000.0
        var batches: [Int] = []
        for benchmark in benchmarks {
            // Run all variants once to warm the caches and to estimate the number of calls in a turn.
            let start = Self.now()
            for variant in 0..<benchmark.variants { try benchmark.body(variant) }
            let once = Double(Self.now() - start) / Double(benchmark.variants)
            batches.append(max(1, Int(turn / max(once, 1))))
        }
        var samples = benchmarks.map { _ in [Double]() }
        var allocations: [Double?] = benchmarks.map { _ in nil }
        var next = benchmarks.map { _ in 0 }
        let end = Self.now() + UInt64(seconds * 1e9)
        var rounds = 0
        while Self.now() < end || rounds < 50 {
            // Benchmarks with calls longer than a turn run in every tenth round.
            for (index, benchmark) in benchmarks.enumerated() where batches[index] > 1 || rounds % 10 == 0 {
                let before = allocations_so_far()
                let start = Self.now()
                for _ in 0..<batches[index] {
                    try benchmark.body(next[index])
                    next[index] += 1
                    if next[index] == benchmark.variants { next[index] = 0 }
                }
                let calls = Double(batches[index] * benchmark.receipts)
                samples[index].append(Double(Self.now() - start) / calls)
                if before >= 0, benchmark.receipts == 1 {
                    allocations[index] = Double(allocations_so_far() - before) / calls
                }
            }
            rounds += 1
            progress("round \(rounds)")
        }
        return results(samples, allocations)
    }

    private func results(_ samples: [[Double]], _ allocations: [Double?]) -> [Result] {
        var results = zip(benchmarks, zip(samples, allocations)).map { benchmark, measured in
            let sorted = measured.0.sorted()
            return Result(
                name: benchmark.name, median: sorted[sorted.count / 2], least: sorted[0],
                most: sorted[sorted.count - 1],
                allocations: measured.1.map { ($0 * 10).rounded() / 10 })
        }
        let medians = Dictionary(uniqueKeysWithValues: results.map { ($0.name, $0.median) })
        for (index, benchmark) in benchmarks.enumerated() {
            let median = results[index].median
            func ratio(to other: String?) -> Double? {
                other.flatMap { medians[$0] }.map { median / $0 }
            }
            results[index].timesRSA = benchmark.isElliptic ? nil : ratio(to: Self.baseline)
            results[index].timesP256 = benchmark.isElliptic ? ratio(to: Self.ellipticBaseline) : nil
            results[index].timesOpenSSL = ratio(to: benchmark.classic)
            results[index].timesVerification = ratio(to: benchmark.verification)
        }
        return results
    }

    private static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
}
