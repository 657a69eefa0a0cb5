#if Postgres
package import AppReceiptStore
import CPostgreSQL
package import Foundation

/// The PostgreSQL server of tests, which the environment names. `scripts/with-postgres.sh` starts one.
package enum PostgresTestServer {
    /// The address of a database of the server; nil without one.
    package static let address = ProcessInfo.processInfo.environment["POSTGRES_TEST_ADDRESS"]
    /// The program that stops and starts the server; nil without one.
    package static let control = ProcessInfo.processInfo.environment["POSTGRES_TEST_CONTROL"]
}

/// A schema of the test server with the tables of one test.
package struct PostgresTestDatabase: Sendable {
    /// The name of the schema.
    package let schema: String
    private let server: String

    /// - Parameter server: The address of a database of the server.
    private init(server: String) {
        self.server = server
        schema = "test_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    }

    /// Calls `body` with an empty schema, which is removed afterward.
    package static func with<Result>(
        _ body: (PostgresTestDatabase) async throws -> Result
    ) async throws -> Result {
        let database = PostgresTestDatabase(server: PostgresTestServer.address ?? "")
        try database.execute("CREATE SCHEMA \(database.schema)")
        defer { _ = try? database.execute("DROP SCHEMA IF EXISTS \(database.schema) CASCADE") }
        return try await body(database)
    }

    /// The text of the address.
    package var text: String { server + (server.contains("?") ? "&" : "?") + "options=-csearch_path%3D\(schema)" }

    /// The address of the schema.
    package var address: PostgresAddress {
        guard let address = PostgresAddress(parsing: text) else {
            preconditionFailure("POSTGRES_TEST_ADDRESS isn't an address.")
        }
        return address
    }

    /// A statement that failed.
    package struct Failure: Error {
        package let message: String
    }

    /// Runs statements on a connection of its own, without the code that is tested, and returns the first column of the
    /// last one.
    @discardableResult
    package func execute(_ sql: String) throws -> [String] {
        let connection = unsafe PQconnectdb(text)
        defer { unsafe PQfinish(connection) }
        unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        let result = unsafe PQexec(connection, sql)
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else {
            throw unsafe Failure(message: String(cString: PQerrorMessage(connection)))
        }
        return (0..<(unsafe PQntuples(result))).map { unsafe String(cString: PQgetvalue(result, $0, 0)) }
    }
}

extension PostgreSQLStore {
    /// Creates a store that trusts the test roots.
    package convenience init(
        testing database: PostgresTestDatabase, _ trust: StoreTrust = .tests, hashesAccounts: Bool = false,
        limits: StoreLimits = .default, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) {
        try self.init(
            address: database.address, receipts: trust.receipts, signedData: trust.signedData,
            hashesAccounts: hashesAccounts, limits: limits, clock: clock)
    }
}
#endif
