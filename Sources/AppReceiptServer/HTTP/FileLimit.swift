#if Server
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many files and connections the process may have open. Shells and service managers often allow 1,024 until the process
/// asks for what it may have.
enum FileLimit {
    /// What the server needs besides connections: the database, its log, pipes.
    private static let others = 64

    /// Asks for as many descriptors as that many connections need.
    ///
    /// - Returns: how many connections there is room for, at most those asked for.
    static func room(forConnections connections: Int) -> Int {
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
