import ArgumentParser

/// The command line.
@main
struct AppReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "appreceipt",
        abstract: "Shows what a customer owns. Reads, validates and makes App Store receipts and signed data, offline.",
        discussion: """
            RECEIPT is a file (DER, BER, base64 or PEM), an .app bundle with a receipt inside, - for standard input, or the \
            data itself. purchases accepts receipts and signed data together, in any form.

            Exit status: 0 valid, parsed, or (purchases --product) active; 1 otherwise; 64 wrong usage, 66 unreadable file.
            """,
        version: "0.1.0",
        subcommands: [
            Inspect.self, Validate.self, Purchases.self, VerifySignedData.self, Batch.self, VerifyReceiptCommand.self,
        ]
            + serve
            + [Make.self])

    /// The server, on systems that support it.
    private static var serve: [any ParsableCommand.Type] {
        #if Server
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return [] }
        #endif
        return [Serve.self]
    }
}
