#if Postgres
import Testing

@testable import AppReceiptStore

@Suite("PostgresAddress")
struct PostgresAddressTests {
    private func options(_ text: String, environment: [String: String] = [:]) -> [String: String] {
        PostgresAddress(parsing: text, environment: environment)?.options ?? [:]
    }

    @Test(
        "The name of the server is verified unless it is a socket or this machine",
        arguments: [
            ("postgres://u@db.example.com/d", "verify-full"), ("postgresql://u@192.0.2.7:5433/d", "verify-full"),
            ("postgres://u@127.0.0.1.example.com/d", "verify-full"), ("postgres://u@localhost,db/d", "verify-full"),
            ("postgres:///d?host=db.example.com", "verify-full"), ("postgres://u@db/d?sslmode=disable", "disable"),
            ("postgres:///d", nil), ("postgres:///d?host=/run/postgresql", nil), ("postgres://localhost/d", nil),
            ("postgres://127.0.0.1:5433/d", nil), ("postgres://[::1]/d", nil),
        ] as [(String, String?)])
    func tls(address: String, mode: String?) {
        #expect(options(address)["sslmode"] == mode)
    }

    @Test("The environment's host counts if the address has none, and its sslmode is left to libpq")
    func environment() {
        #expect(options("postgres:///d", environment: ["PGHOST": "db.example.com"])["sslmode"] == "verify-full")
        #expect(
            options("postgres://db.example.com/d", environment: ["PGSSLMODE": "require"])["sslmode"] == nil)
    }

    @Test("Of several servers, the one that can be written is used")
    func severalServers() {
        #expect(options("postgres://a,b/d")["target_session_attrs"] == "read-write")
        #expect(options("postgres://a/d")["target_session_attrs"] == nil)
    }

    @Test(
        "What isn't an address, or has an unknown option, is none",
        arguments: [
            "state.sqlite", "http://db/d", "postgres:/db/d", "postgres://db/d?unknown=1",
            "postgres://[::1/d",
        ])
    func malformed(address: String) {
        #expect(PostgresAddress(parsing: address, environment: [:]) == nil)
    }

    @Test("A description has no password, and a password from elsewhere replaces the address's")
    func passwords() throws {
        let address = try #require(
            PostgresAddress(parsing: "postgres://ann:secret@db:5433/d?sslmode=require", password: "other"))
        #expect("\(address)" == "postgres://ann@db:5433/d")
        #expect(address.options["password"] == "other" && address.hasPassword)
        #expect(PostgresAddress(parsing: "postgres://ann@db/d")?.hasPassword == false)
        #expect(PostgresAddress(parsing: "postgres://ann@db/d?password=secret")?.hasPassword == true)
    }
}
#endif
