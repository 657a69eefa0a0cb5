import ArgumentParser

/// `appreceipt make`
struct Make: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes test receipts and signed data, with their root certificate.",
        discussion: """
            The keys are public: the results are for tests and trusted only where their
            root is passed. Without a subcommand, makes a receipt: see
            'appreceipt help make receipt'.

            Examples:
              appreceipt make --bundle-id com.example.app --purchase pro --out out
              appreceipt make transaction --bundle-id com.example.app \\
                --product pro --out out
              appreceipt make notification --bundle-id com.example.app \\
                --type SUBSCRIBED --product plus --expires 2024-08-01T00:00:00Z --out out

            Exit status: 0 made, 64 wrong usage, 73 unwritable output.
            """,
        subcommands: [
            MakeReceipt.self, MakeTransaction.self, MakeRenewalInfo.self, MakeAppTransaction.self,
            MakeNotification.self,
        ],
        defaultSubcommand: MakeReceipt.self)
}
