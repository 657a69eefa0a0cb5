import ArgumentParser

#if !Server
/// `appreceipt store fake` in a build without the server: explains how to build it.
struct StoreFake: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fake", abstract: "Serves a fake of Apple's server over HTTP (not in this build).",
        discussion: """
            This appreceipt was built without the server, which requires additional packages. Build it with the trait \
            Server:

              swift run --traits Server appreceipt store fake
              swift build -c release --traits Server --product appreceipt
            """)

    /// Accepts any arguments, so that the message is shown for all of them.
    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() throws {
        if arguments.contains("--help") || arguments.contains("-h") { throw CleanExit.helpRequest(self) }
        Terminal.printError(
            "This appreceipt was built without the server. Build it with: swift build -c release --traits Server --product appreceipt"
        )
        throw ExitCode(64)
    }
}
#endif
