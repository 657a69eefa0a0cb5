import ArgumentParser

#if !Server
/// Says how to build the command with a server in it.
struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serves verifyReceipt, a JSON API and a web inspector over HTTP (not in this build).",
        discussion: """
            This appreceipt was built without the server, which needs packages that nothing else here needs. Build it with \
            the trait Server:

              swift run --traits Server appreceipt serve
              swift build -c release --traits Server --product appreceipt
            """)

    /// Whatever it is asked with, the answer is the same.
    @Argument(parsing: .captureForPassthrough, help: .hidden)
    var arguments: [String] = []

    func run() throws {
        if arguments.contains("--help") || arguments.contains("-h") { throw CleanExit.helpRequest(self) }
        Terminal.complain(
            "This appreceipt was built without the server. Build it with: swift build -c release --traits Server --product appreceipt"
        )
        throw ExitCode(64)
    }
}
#endif
