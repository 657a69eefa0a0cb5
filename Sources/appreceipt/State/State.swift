#if Server
import ArgumentParser

/// `appreceipt state`: the database of a server.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
struct State: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows and repairs what is in a server's database.",
        discussion: """
            The server may run meanwhile.

            Exit status: 0 done, 1 something to replay is unknown or its webhook isn't configured any more, 64 wrong \
            usage, 66 no such file, or a database that this version can't use, 73 the database can't be opened.
            """,
        subcommands: [StateWebhooks.self])
}
#endif
