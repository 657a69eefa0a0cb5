import AppReceiptKit
import AppReceiptTesting
import Foundation

/// Measures the time and memory of verifying hostile input. Each cell runs in its own process to measure its memory.
enum Budgets {
    private static let sizes = [1 << 10, 16 << 10, 256 << 10, 1 << 20, 4 << 20, 15 << 20]

    private struct Cell: Codable {
        let bytes: Int
        let milliseconds: Double
        /// The growth of the process after it has read the input.
        let mebibytes: Double
        let verdict: String
    }

    static func printCell(_ bytes: [UInt8]) throws {
        let anchors = try TestPKI.standard.anchors
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        _ = ReceiptVerifier(anchors: anchors).report(Array("warm".utf8), expecting: expectations, now: now)
        let before = peak()
        var best = Double.infinity
        var verdict = ""
        for _ in 0..<3 {
            // A new verifier has no cached chains.
            let verifier = ReceiptVerifier(anchors: anchors)
            let start = DispatchTime.now().uptimeNanoseconds
            let report = verifier.report(bytes, expecting: expectations, now: now)
            best = min(best, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
            verdict = report.failure?.code.rawValue ?? "valid"
        }
        let cell = Cell(bytes: bytes.count, milliseconds: best, mebibytes: peak() - before, verdict: verdict)
        print(String(decoding: try JSONEncoder().encode(cell), as: UTF8.self))
    }

    static func printTable() throws {
        print("| input | what | size | time | memory | ns a byte | verdict |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for kind in HostileInput.allCases {
            for size in sizes {
                let cell = try measure(kind, size)
                let what = size == sizes[0] ? kind.explanation : ""
                print(
                    "| \(size == sizes[0] ? kind.rawValue : "") | \(what) | \(human(cell.bytes)) | "
                        + "\(String(format: "%.3f", cell.milliseconds)) ms | \(String(format: "%.1f", cell.mebibytes)) MiB | "
                        + "\(String(format: "%.1f", cell.milliseconds * 1e6 / Double(cell.bytes))) | \(cell.verdict) |")
            }
        }
    }

    private static func measure(_ kind: HostileInput, _ size: Int) throws -> Cell {
        // Created here, so that its creation isn't measured.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try kind.bytes(size)).write(to: file)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["budget", file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode(Cell.self, from: output)
    }

    private static func human(_ bytes: Int) -> String {
        bytes < 1 << 20
            ? String(format: "%.1f KiB", Double(bytes) / 1024) : String(format: "%.1f MiB", Double(bytes) / 1_048_576)
    }

    /// The peak memory of this process in MiB.
    private static func peak() -> Double {
        #if canImport(Darwin)
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return Double(usage.ru_maxrss) / 1_048_576
        #else
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Double(line.filter(\.isNumber)) ?? 0) / 1024
        #endif
    }
}
