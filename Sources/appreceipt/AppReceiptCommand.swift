import AppReceiptFoundation
import ArgumentParser

/// The command line.
@main
struct AppReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appreceipt",
        abstract: "Shows what a customer owns. Reads, validates and makes App Store receipts and signed data, offline.",
        discussion: """
            'appreceipt INPUT' validates INPUT: a file, an .app bundle with a receipt inside, - for standard input, or \
            the data itself. Receipts (DER, BER, base64 or PEM) and tokens (JWS) are accepted, also inside JSON. Only \
            'appreceipt store', and 'appreceipt serve' with a key, send requests to Apple.

            Exit status: 0 valid, parsed, (purchases --product) active, or (batch) every record has a result; 1 \
            otherwise; 64 wrong usage, 66 unreadable file, 69 App Store not reachable, 73 or 74 unwritable output.
            """,
        version: "0.1.0",
        subcommands: [
            Inspect.self, Validate.self, Purchases.self, VerifySignedData.self, Batch.self, VerifyReceiptCommand.self,
        ]
            + server
            + [Make.self],
        defaultSubcommand: Validate.self)

    /// Without arguments, shows the help instead of an error of the default subcommand. A private key as an argument is
    /// rejected before the arguments are parsed, because errors repeat them.
    static func main() async {
        #if Server
        // A reload while the server starts must not end it: its configuration is still to be read.
        if CommandLine.arguments.dropFirst().first == "serve" { signal(SIGHUP, SIG_IGN) }
        #endif
        if CommandLine.arguments.contains(where: SecretInput.isPrivateKey) {
            exit(withError: UsageError.exit(SecretInput.pathExpected))
        }
        if let (misspelled, meant) = misspelledSubcommand(in: CommandLine.arguments.dropFirst()) {
            let message = "'\(misspelled)' is neither a subcommand nor a file. Did you mean '\(meant)'?"
            exit(withError: UsageError.exit(message))
        }
        await main(CommandLine.arguments.count > 1 ? nil : ["--help"])
    }

    /// Returns the argument that is probably meant to be a subcommand, and that subcommand; nil if there is none. A
    /// file may be the input of the default subcommand.
    private static func misspelledSubcommand(
        in arguments: ArraySlice<String>
    ) -> (misspelled: String, meant: String)? {
        var command: any ParsableCommand.Type = self
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            if let subcommand = subcommands.first(where: { $0._commandName == argument }) {
                command = subcommand
                continue
            }
            if command == self, argument == "help" { continue }
            guard !argument.hasPrefix("-"), !FileManager.default.fileExists(atPath: argument) else { return nil }
            let names = subcommands.map { $0._commandName } + (command == self ? ["help"] : [])
            return NameSuggestion.name(for: argument, among: names).map { (argument, $0) }
        }
        return nil
    }

    /// The servers and the client of the App Store, on systems that support them.
    private static var server: [any ParsableCommand.Type] {
        #if Server
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return [] }
        #else
        guard #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) else { return [Serve.self] }
        #endif
        #if Server
        return [Serve.self, State.self, Store.self]
        #else
        return [Serve.self, Store.self]
        #endif
    }
}
