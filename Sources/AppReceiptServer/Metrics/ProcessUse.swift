#if Server
import AppReceiptFoundation

#if canImport(CoreFoundation)
// The compiler attributes `timespec` to whichever module it loads first.
import CoreFoundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The resources that the process uses. Memory and files are nil where the system has no `/proc`.
struct ProcessUse: Sendable {
    let processorSeconds: Double
    let residentBytes: Int?
    let openFiles: Int?

    /// The resources at this moment.
    static var current: ProcessUse {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        return ProcessUse(
            processorSeconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            residentBytes: (try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/status"))).flatMap {
                residentBytes(inStatus: String(decoding: $0, as: UTF8.self))
            },
            openFiles: files)
    }

    /// The resident memory in the text of `/proc/self/status`: `VmRSS:     1234 kB`.
    static func residentBytes(inStatus status: String) -> Int? {
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }) else { return nil }
        return line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }.map {
            $0 * 1024
        }
    }
}
#endif
