import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport
import AppStoreSignedData
import ArgumentParser

/// The one reader of what arguments and settings name.
enum InputReader {
    /// The data of an INPUT argument: a file, the receipt in an `.app` bundle, standard input for `-`, or the argument
    /// itself.
    ///
    /// - Returns: The bytes, or an error that is a validation result, such as a bundle without a receipt.
    /// - Throws: `ExitCode` 66 with a message if a file can't be read.
    static func data(_ argument: String) throws -> Result<[UInt8], ReceiptError> {
        if isData(argument) { return .success(Array(argument.utf8)) }
        guard isDirectory(argument) else { return .success(try file(argument)) }
        do throws(ReceiptError) {
            return .success(try ReceiptFile.contents(atPath: argument))
        } catch {
            guard error.code == .inputUnreadable else { return .failure(error) }
            throw unreadable(argument, because: error.message)
        }
    }

    /// The receipt or token in an INPUT argument. Standard error tells what was removed or decoded to find it, and what
    /// was ignored.
    ///
    /// - Returns: The receipt or token, or an error that is a validation result, such as a bundle without a receipt.
    /// - Throws: `ExitCode` 66 with a message if a file can't be read, 64 if there are several receipts or tokens: a
    ///   verdict on one of them, which the sender chose, would seem to be about all.
    static func item(_ argument: String) throws -> Result<EvidenceInput.Item, ReceiptError> {
        try evidence(argument).map { $0.items.first ?? .receipt([]) }
    }

    /// Returns the token in an INPUT argument, or the text that was passed instead of one. Otherwise like ``item(_:)``.
    static func token(_ argument: String) throws -> Result<String, ReceiptError> {
        try evidence(argument).map(\.tokenText)
    }

    private static func evidence(_ argument: String) throws -> Result<EvidenceInput, ReceiptError> {
        let name = Terminal.truncated(argument, to: 80)
        switch try data(argument) {
        case .failure(let error): return .failure(error)
        case .success(let bytes):
            let input = EvidenceInput(bytes)
            for note in notes(on: input, from: name) { Terminal.note(note) }
            if input.items.count < 2, input.claimedPurchases == nil, let lines = recordLines(bytes) {
                throw UsageError.exit(
                    "\(name): Contains \(lines) lines that begin like receipts, tokens or JSON of their own, and this "
                        + "subcommand reads one. 'appreceipt batch' validates each line.")
            }
            guard input.items.count < 2 else {
                throw UsageError.exit(
                    "\(name): Contains \(input.items.count) receipts and tokens, and this subcommand reads one. "
                        + "'appreceipt purchases' uses all of them together, and 'appreceipt batch' validates each, "
                        + "one per line."
                )
            }
            return .success(input)
        }
    }

    /// Returns the number of lines if the first two are records of their own, rather than lines of one; otherwise nil.
    private static func recordLines(_ bytes: [UInt8]) -> Int? {
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
            .filter { line in !line.allSatisfy(Base64.isWhitespace) }
        func isRecord(_ line: ArraySlice<UInt8>) -> Bool {
            if line.first == UInt8(ascii: "{") { return true }
            // Encoders wrap base64 after at most 76 characters.
            return line.count > 100 && ["MII", "MIA", "eyJ", "ewoJ"].contains { line.starts(with: $0.utf8) }
        }
        return lines.count > 1 && lines.prefix(2).allSatisfy(isRecord) ? lines.count : nil
    }

    /// Returns sentences about what was removed or decoded to find receipts and tokens, and about options that have no
    /// effect.
    static func notes(on input: EvidenceInput, from name: String) -> [String] {
        var notes: [String] = []
        if !input.normalizations.isEmpty {
            notes.append("\(name): removed or decoded \(input.normalizations.joined(separator: ", ")).")
        }
        let options = input.options
        if !options.isEmpty {
            let names = options.map { "'\($0)'" }.joined(separator: ", ")
            let arguments = options.map { "--\($0)" }.joined(separator: ", ")
            notes.append(
                "\(name): ignored \(names) in the JSON, so nothing is compared with it. Pass options as arguments: "
                    + "\(arguments)."
            )
        }
        return notes
    }

    /// Returns the contents of a file, a pipe, or standard input for `-`.
    ///
    /// Reads at most one block more than the largest input that is accepted, so that the parser reports the excess.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - name: How the message names it. Default: by its path.
    /// - Throws: `ExitCode` 66 with a message if it can't be read, 64 if the path is a private key.
    static func file(_ path: String, named name: String? = nil) throws -> [UInt8] {
        guard !SecretInput.isPrivateKey(path) else { throw UsageError.exit(SecretInput.pathExpected) }
        do throws(ByteSource.Failure) {
            let source = try ByteSource(path: path)
            defer { source.close() }
            var bytes: [UInt8] = []
            while bytes.count <= ReceiptLimits.default.maxInputBytes, try source.read(atMost: 1 << 16, into: &bytes) > 0
            {}
            return bytes
        } catch {
            throw unreadable(name ?? path, because: error.reason)
        }
    }

    /// Reports that an input can't be read.
    static func unreadable(_ name: String, because reason: String) -> ExitCode {
        Terminal.printError(Terminal.truncated("\(name): \(reason)", to: 400))
        return ExitCode(66)
    }

    static func isDirectory(_ path: String) -> Bool {
        var isDirectory = false
        return path != "-" && FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
    }

    /// The beginnings of receipts, tokens and JSON that are pasted as an argument.
    private static let dataPrefixes = ["eyJ", "MII", "{", "[", "\"", "-----BEGIN", "Bearer ", " ", "\n"]

    /// Returns whether an argument is the data itself: it begins like data, or is too long for a file name, and no such
    /// file exists.
    private static func isData(_ argument: String) -> Bool {
        let count = argument.utf8.count
        return (count > 255 || count > 20 && dataPrefixes.contains { argument.hasPrefix($0) })
            && !FileManager.default.fileExists(atPath: argument)
    }
}
