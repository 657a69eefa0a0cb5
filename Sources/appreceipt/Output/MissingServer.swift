import ArgumentParser

#if !Server
/// The help and the error of commands that require the server, in a build without it.
enum MissingServer {
    /// The discussion in the help of a command.
    ///
    /// - Parameter command: The command and its subcommands.
    static func discussion(of command: String) -> String {
        """
        This appreceipt was built without the server, which requires additional packages. In a clone of AppReceiptKit, install it \
        with the server, or run it once:

          \(installation)
          swift run --traits Server appreceipt \(command)
        """
    }

    /// The error of a command.
    ///
    /// - Parameter part: What the build lacks.
    static func error(_ part: String) -> any Error {
        UsageError.exit(
            "This appreceipt was built without \(part), which the trait Server contains. To install appreceipt with it, run this in a clone of AppReceiptKit: \(installation)"
        )
    }

    private static let installation = #"scripts/install-command.sh --traits Server --prefix "$HOME/.local""#
}
#endif
