#if Server
import AppReceiptFoundation

/// The resources that the process uses, as Linux states them in `/proc`. Nil elsewhere.
///
/// Source: proc(5).
struct ProcessUse: Sendable {
    let processorSeconds: Double?
    let residentBytes: Int?
    let openFiles: Int?

    /// The resources at this moment.
    static var current: ProcessUse {
        ProcessUse(
            processorSeconds: text("stat").flatMap { processorSeconds(inStat: $0) },
            residentBytes: text("status").flatMap { residentBytes(inStatus: $0) },
            // One of them reads the folder.
            openFiles: (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")).map { $0.count - 1 })
    }

    private static func text(_ name: String) -> String? {
        (try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/\(name)"))).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the processor time in the text of `/proc/self/stat`: the 14th and 15th field, in hundredths of a second.
    /// The second one is the name of the program in parentheses, which may contain spaces.
    static func processorSeconds(inStat stat: String) -> Double? {
        guard let end = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[end...].split(separator: " ").dropFirst()
        let ticks = fields.dropFirst(11).prefix(2).compactMap { Int($0) }
        return ticks.count == 2 ? Double(ticks[0] + ticks[1]) / 100 : nil
    }

    /// Returns the resident memory in the text of `/proc/self/status`: `VmRSS:     1234 kB`.
    static func residentBytes(inStatus status: String) -> Int? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }) else { return nil }
        return line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }.map {
            $0 * 1024
        }
    }
}
#endif
