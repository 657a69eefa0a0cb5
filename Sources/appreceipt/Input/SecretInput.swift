import AppReceiptSupport

/// The reader of secrets, and the rules for files of private keys.
enum SecretInput {
    /// Returns the secret in a file: its only line, without the line break that editors and shells add.
    ///
    /// - Parameter source: The option or setting that names the file, for messages. Messages never contain the secret.
    /// - Throws: `ExitCode` 66 if the file can't be read, 64 if it isn't one line of text in UTF-8 that clients can
    ///   send.
    static func secret(inFile path: String, source: String) throws -> String {
        let bytes = try InputReader.file(path, named: "\(source): \(path)")
        func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
        let line = bytes.prefix { !isLineBreak($0) }
        let text = String(decoding: line, as: UTF8.self)
        // Invalid UTF-8 decodes to the same replacement character for different secrets.
        guard bytes.dropFirst(line.count).allSatisfy(isLineBreak), text.utf8.elementsEqual(line) else {
            throw UsageError.exit("\(source): The file must contain only the secret, one line of UTF-8 text.")
        }
        return try secret(text, source: source)
    }

    /// Returns the secret in an option or setting.
    ///
    /// Clients can't send control characters in a header, and whitespace at its ends is lost. A byte order mark is
    /// invisible.
    ///
    /// - Throws: `ExitCode` 64 if clients can't send the secret.
    static func secret(_ text: String, source: String) throws -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else {
            throw UsageError.exit("\(source): The secret must not be empty.")
        }
        guard ![first, last].contains(where: { $0.properties.isWhitespace || $0 == "\u{FEFF}" }) else {
            throw UsageError.exit("\(source): The secret must not begin or end with whitespace or a byte order mark.")
        }
        guard text.utf8.count <= 4096, !scalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw UsageError.exit(
                "\(source): The secret must have at most 4,096 bytes and no control characters.")
        }
        return text
    }

    /// Returns whether text that should be a path is a private key, which must not be in a message.
    static func isPrivateKey(_ text: String) -> Bool {
        text.split(separator: "-").contains { $0.hasSuffix("PRIVATE KEY") }
    }

    static let pathExpected = "Expected the path of the file with the private key, not the key itself."

    /// Returns the warning about a file with a key or another secret that every user of the computer can read or
    /// replace; nil for others.
    ///
    /// Permissions for the group only are treated as intended, as for the database.
    static func warning(aboutSecretFile path: String) -> String? {
        var status = stat()
        guard path != "-", unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard status.st_mode & 0o006 != 0 else { return nil }
        return "Every user of this computer can read or change the secret in \(path). Restrict it: chmod 600 \(path)"
    }
}
