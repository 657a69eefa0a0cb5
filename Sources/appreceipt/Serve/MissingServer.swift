import ArgumentParser

#if !Server
/// The help and the error of commands that require the server, in a build without it.
enum MissingServer {
    /// Returns the discussion in the help of a command.
    ///
    /// - Parameter command: The command and its subcommands.
    static func discussion(of command: String) -> String {
        """
        This appreceipt was built without the server, which requires additional packages. In a clone of AppReceiptKit, \
        install it with the server, or run it once:

          \(installation)
          swift run --traits Server appreceipt \(command)
        """
    }

    /// Returns the error of a command that this build can't run.
    ///
    /// - Parameter part: What the build lacks.
    static func error(_ part: String) -> any Error {
        UsageError.exit(
            "This appreceipt was built without \(part), which the trait Server contains. To install appreceipt with "
                + "it, run this in a clone of AppReceiptKit: \(installation)"
        )
    }

    private static let installation = #"scripts/install-command.sh --traits Server --prefix "$HOME/.local""#
}

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
