#if Server
import AppReceiptServer
import AppReceiptStore

/// The reader of the option `--database`: the path of a file, or the address of a PostgreSQL database.
enum DatabaseInput {
    /// Returns the place of a database.
    ///
    /// - Parameters:
    ///   - text: The path or address.
    ///   - source: The option or setting that contains it, for messages. They don't contain the text.
    ///   - password: The file with the password, and the option or setting that names it; nil for none.
    /// - Throws: `ExitCode` 64 for a malformed address, one with a password that other users of the machine can see, or
    ///   any address in a build without PostgreSQL; 66 if the file with the password can't be read.
    static func location(
        _ text: String, source: String, password: (file: String, source: String)?
    ) throws -> DatabaseLocation {
        guard DatabaseLocation.isAddress(text) else {
            if let password {
                throw UsageError.exit("\(password.source): Only the address of a PostgreSQL database has a password.")
            }
            guard text != ":memory:" else {
                throw UsageError.exit("\(source): Expected a file. Leave it out to keep the state in memory.")
            }
            return .file(text)
        }
        #if Postgres
        let secret = try password.map { try SecretInput.secret(inFile: $0.file, source: $0.source) }
        guard let address = PostgresAddress(parsing: text, password: secret) else {
            throw UsageError.exit(
                "\(source): Expected an address such as postgres://user@host/database, with libpq's options as a query."
            )
        }
        guard !source.hasPrefix("--") || PostgresAddress(parsing: text)?.hasPassword != true else {
            throw UsageError.exit(
                "\(source): Other users of this machine can see the password. Name a file with "
                    + "--database-password-file, or set PGPASSWORD or PGPASSFILE.")
        }
        return .postgres(address)
        #else
        throw UsageError.exit(
            "\(source): This appreceipt was built without PostgreSQL, which the trait Postgres contains. Expected a file."
        )
        #endif
    }
}
#endif
