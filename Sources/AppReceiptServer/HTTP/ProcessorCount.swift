#if Server
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The number of processors that this process may use.
enum ProcessorCount {
    /// At least 1. Also respects the process's affinity, which `System.coreCount` doesn't: threads beyond it would replace each other.
    static var available: Int {
        guard let status = try? Data(contentsOf: URL(filePath: "/proc/self/status")),
            let allowed = allowed(by: String(decoding: status, as: UTF8.self))
        else { return System.coreCount }
        return max(1, min(System.coreCount, allowed))
    }

    /// The number of processors in the affinity mask, or nil if there is none.
    ///
    /// - Parameter status: The text of `/proc/self/status` (Linux, proc(5)): `Cpus_allowed`, then hexadecimal digits and commas.
    static func allowed(by status: String) -> Int? {
        let name = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let count = line.dropFirst(name.count).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
        return count > 0 ? count : nil
    }
}
#endif
