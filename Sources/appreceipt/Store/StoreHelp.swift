/// Texts that the help of several subcommands has in common.
enum StoreHelp {
    /// The exit statuses of the subcommands that ask.
    static let exitStatus = """
        Exit status: 0; 1 if Apple refused the request, or something in the answer was rejected; 64 wrong usage, 66 unreadable \
        key or receipt, 69 the App Store wasn't reachable, failed, or allows no more requests now, 74 unwritable output.
        """
}
