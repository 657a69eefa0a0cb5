import ArgumentParser

#if !Server
/// `appreceipt serve` in a build without the server: explains how to install it.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves verifyReceipt, a JSON API and a web inspector over HTTP (not in this build).",
        discussion: MissingServer.discussion(of: "serve"))

    /// Accepts any arguments, so that the message is shown for all of them.
    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() throws {
        if arguments.contains("--help") || arguments.contains("-h") { throw CleanExit.helpRequest(self) }
        throw MissingServer.error("the server")
    }
}
#endif
