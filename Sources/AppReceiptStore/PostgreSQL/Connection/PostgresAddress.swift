#if Postgres
import AppReceiptFoundation
import CPostgreSQL

/// The address of a PostgreSQL database: `postgres://user@host:port/database`, with the options of libpq as a query.
///
/// What the address doesn't contain comes from libpq's environment variables and its defaults: among others the
/// password from `PGPASSWORD`, or from the file in `PGPASSFILE`.
public struct PostgresAddress: Sendable, Hashable {
    /// The options of libpq.
    private(set) var options: [String: String]

    /// Parses an address.
    ///
    /// Without `sslmode`, the certificate and the name of the server are verified, unless each host is a socket or this
    /// machine.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - password: The password, if it is neither in the address nor in the environment.
    ///   - environment: The environment; nil for that of the process.
    /// - Returns: Nil if it isn't an address, or has an unknown option.
    public init?(
        parsing text: String, password: String? = nil,
        environment: [String: String]? = nil
    ) {
        guard let parsed = DatabaseLocation.isAddress(text) ? Self.options(in: text) : nil else { return nil }
        options = parsed
        let environment = environment ?? ProcessInfo.processInfo.environment
        if let password { options["password"] = password }
        let host = options["hostaddr"] ?? options["host"] ?? environment["PGHOST"] ?? ""
        let hosts = host.split(separator: ",", omittingEmptySubsequences: false)
        if options["sslmode"] == nil, environment["PGSSLMODE"] == nil, !hosts.allSatisfy({ Self.isLocal($0) }) {
            options["sslmode"] = "verify-full"
        }
        // Of several servers, only the primary accepts writes.
        if hosts.count > 1, options["target_session_attrs"] == nil { options["target_session_attrs"] = "read-write" }
        options["client_encoding"] = "UTF8"
        for (name, value) in Self.defaults where options[name] == nil { options[name] = value }
    }

    /// Whether the address or a file contains the password.
    package var hasPassword: Bool { options["password"] != nil }

    /// A server that vanishes is noticed after seconds. The time of `tcp_user_timeout` is in milliseconds.
    private static let defaults = [
        "application_name": "appreceipt", "tcp_user_timeout": "5000", "keepalives_idle": "5",
        "keepalives_interval": "2",
        "keepalives_count": "2",
    ]

    /// The options that libpq finds in an address; nil if it is malformed.
    private static func options(in text: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let first = unsafe PQconninfoParse(text, &message) else {
            unsafe PQfreemem(message)
            return nil
        }
        defer { unsafe PQconninfoFree(first) }
        var options: [String: String] = [:]
        var option = unsafe first
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe options[String(cString: keyword)] = String(cString: value)
            }
            unsafe option += 1
        }
        return options
    }

    /// Whether a host is a socket or this machine. An empty one is libpq's default, a socket.
    private static func isLocal(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
    }
}

extension PostgresAddress: CustomStringConvertible {
    /// The user, the host and the database, without the password.
    public var description: String {
        let user = options["user"].map { "\($0)@" } ?? ""
        let port = options["port"].map { ":\($0)" } ?? ""
        return "postgres://\(user)\(options["host"] ?? "")\(port)/\(options["dbname"] ?? "")"
    }
}
#endif
