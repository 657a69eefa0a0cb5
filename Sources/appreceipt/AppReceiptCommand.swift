import ArgumentParser

/// The command line.
@main
struct AppReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appreceipt",
        abstract: "Shows what a customer owns. Reads, validates and makes App Store receipts and signed data, offline.",
        discussion: """
            'appreceipt INPUT' validates INPUT: a file, an .app bundle with a receipt inside, - for standard input, or the \
            data itself. Receipts (DER, BER, base64 or PEM) and tokens (JWS) are accepted, also inside JSON.

            Exit status: 0 valid, parsed, or (purchases --product) active; 1 otherwise; 64 wrong usage, 66 unreadable file.
            """,
        version: "0.1.0",
        subcommands: [
            Inspect.self, Validate.self, Purchases.self, VerifySignedData.self, Batch.self, VerifyReceiptCommand.self,
        ]
            + serve
            + [Make.self],
        defaultSubcommand: Validate.self)

    /// Without arguments, shows the help instead of an error of the default subcommand.
    static func main() async { await main(CommandLine.arguments.count > 1 ? nil : ["--help"]) }

    /// The server, on systems that support it.
    private static var serve: [any ParsableCommand.Type] {
        #if Server
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return [] }
        #endif
        return [Serve.self]
    }
}
