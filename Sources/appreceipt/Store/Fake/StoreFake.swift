import ArgumentParser

#if !Server
/// `appreceipt store fake` in a build without the server: explains how to install it.
struct StoreFake: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fake", abstract: "Serves a fake of Apple's server over HTTP (not in this build).",
        discussion: MissingServer.discussion(of: "store fake"))

    /// Accepts any arguments, so that the message is shown for all of them.
    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() throws {
        if arguments.contains("--help") || arguments.contains("-h") { throw CleanExit.helpRequest(self) }
        throw MissingServer.error("the server")
    }
}
#endif
