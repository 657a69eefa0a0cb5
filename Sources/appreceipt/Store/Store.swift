import ArgumentParser

/// `appreceipt store`: the App Store Server API.
#if Server
@available(AppReceiptServer 1.0, *)
#else
@available(AppStoreServerAPI 1.0, *)
#endif
struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends requests to Apple's App Store Server API, and verifies the responses.",
        discussion: """
            The key is an In-App Purchase key of App Store Connect (Users and Access, Integrations, In-App Purchase). \
            Its identifier and the issuer identifier are shown there. docs/app-store.md describes each step, and what \
            leaves the computer.

            Without --environment, requests go to production, then to the sandbox if production doesn't know the \
            identifier or rejects the key, as it does for apps that were never approved. Everything that Apple signs \
            is verified for the app and the environment; what can't be verified is listed as rejected. Requests are \
            repeated where that is useful and safe.

            Examples:
              appreceipt store history 2000000000000001 --key AuthKey.p8 --key-id 2X9R4HXF34 \\
                --issuer-id 57246542-96fe-1a63-e053-0824d011072a --bundle-id com.example.app
              appreceipt store fake --out test-store    # a fake of Apple's server, to try the commands

            \(StoreHelp.exitStatus)
            """,
        subcommands: [
            StoreHistory.self, StoreStatus.self, StoreTransaction.self, StoreAppTransaction.self, StoreRefunds.self,
            StoreOrder.self,
            StoreNotifications.self, StoreTestNotification.self, StoreExtend.self, StoreExtendAll.self,
            StoreExtendStatus.self, StoreConsumption.self,
            StoreAppAccountToken.self, StoreOffer.self, StoreFake.self,
        ])
}

/// Texts that the help of several subcommands has in common.
enum StoreHelp {
    /// The exit statuses of the subcommands that send requests.
    static let exitStatus = """
        Exit status: 0; 1 if Apple refused the request, or something in the response was rejected; 64 wrong usage, 66 \
        unreadable key or receipt, 69 the App Store wasn't reachable, failed, or allows no more requests now, 74 \
        unwritable output.
        """
}
