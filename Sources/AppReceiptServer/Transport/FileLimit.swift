#if Server
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The system's limit of open files and connections. Shells and service managers often allow 1,024 until a process
/// raises its limit.
enum FileLimit {
    /// Descriptors for everything that isn't a connection: the database, its log, pipes.
    private static let others = 64

    /// Raises the limit as far as a number of connections needs.
    ///
    /// - Returns: The number of connections that the system allows, at most `connections`.
    static func raise(forConnections connections: Int) -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        guard unsafe getrlimit(resource, &limit) == 0 else { return connections }
        let needed = rlim_t(connections + others)
        if limit.rlim_cur < needed {
            let soft = limit.rlim_cur
            limit.rlim_cur = min(needed, limit.rlim_max)
            if unsafe setrlimit(resource, &limit) != 0 { limit.rlim_cur = soft }
        }
        return min(connections, max(1, Int(clamping: limit.rlim_cur) - others))
    }
}
#endif
