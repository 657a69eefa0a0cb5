#if Server
import AppReceiptFoundation
import NIOCore

/// The number of processors that this process may use.
enum ProcessorCount {
    /// The number of processors, at least 1.
    ///
    /// Unlike `System.coreCount`, this respects the affinity mask. More threads would only compete for the same
    /// processors: budget, every line, which is measured on one of two.
    static var available: Int {
        #if os(Linux)
        if let status = try? Data(contentsOf: URL(fileURLWithPath: "/proc/self/status")),
            let allowed = affinityCount(in: String(decoding: status, as: UTF8.self))
        {
            return max(1, min(System.coreCount, allowed))
        }
        #endif
        return System.coreCount
    }

    /// Returns the number of processors in the affinity mask, or nil if the status doesn't contain one.
    ///
    /// - Parameter status: The text of `/proc/self/status` (Linux, proc(5)): `Cpus_allowed`, then hexadecimal digits
    ///   and commas.
    static func affinityCount(in status: String) -> Int? {
        let name = "Cpus_allowed:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let count = line.dropFirst(name.count).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
        return count > 0 ? count : nil
    }
}
#endif
