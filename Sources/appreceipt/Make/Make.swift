import ArgumentParser

struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes test receipts and signed data, with the root that signed them.",
        discussion: """
            What it makes is signed with keys that are public: good for tests, trusted
            by nobody who does not name its root. Without a subcommand it makes a
            receipt: see appreceipt help make receipt.

            Examples:
              appreceipt make --bundle-id com.example.app --purchase pro --out out
              appreceipt make transaction --bundle-id com.example.app \\
                --product pro --out out
              appreceipt make notification --bundle-id com.example.app \\
                --type SUBSCRIBED --product plus --expires 2024-08-01T00:00:00Z --out out

            Exit status: 0 made, 64 wrong usage, 73 the files cannot be written.
            """,
        subcommands: [
            MakeReceipt.self, MakeTransaction.self, MakeRenewalInfo.self, MakeAppTransaction.self,
            MakeNotification.self,
        ],
        defaultSubcommand: MakeReceipt.self)
}
