import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store test-notification`
@available(AppStoreServerAPI 1.0, *)
struct StoreTestNotification: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-notification",
        abstract: "Requests a test notification, and shows whether your server accepted it.",
        discussion: """
            The App Store sends the notification to the address that App Store Connect has for the environment. The \
            request is never repeated after it may have been carried out. Without --environment, it goes to \
            production, and to the sandbox only if production doesn't accept the app.

            Without --wait or --token, the command ends when the App Store has accepted the request, and writes the \
            token.

            With --format json: {"testNotificationToken", "environment", "result": null or {"signedPayload", \
            "notification", …, "unverified": {"sendAttempts": [{"attemptDate", "sendAttemptResult"}]}}}; or {"error": \
            {…, "outcomeUnknown": whether the notification may have been requested}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store test-notification OPTIONS --environment sandbox --wait
              appreceipt store test-notification OPTIONS --token ce3af791-365e-4c60-841b-1674b43c1609_1656436740000

            \(StoreHelp.exitStatus) With --wait or --token, 1 also means that your server didn't accept the \
            notification, or that
            it wasn't sent within a minute.
            """)

    @Flag(help: "Wait up to a minute for the result.")
    var wait = false

    @Option(
        help: ArgumentHelp("Show the result of an earlier request, instead of a new one.", valueName: "token"),
        transform: ArgumentConversion.nonEmpty)
    var token: String?

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    var change: StoreChange? { .testNotification }

    func result(
        from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        if let token {
            return try await client.inFirstEnvironment { (environment) async throws(AppStoreServerError) in
                let sent =
                    wait
                    ? try await sentNotification(withToken: token, from: client, in: environment)
                    : try await client.testNotificationStatus(token, in: environment)
                return Self.result(of: sent, token: token, in: environment)
            }
        }
        let (token, environment) = try await client.inFirstEnvironment {
            (environment) async throws(AppStoreServerError) in
            (try await client.requestTestNotification(in: environment), environment)
        }
        guard wait else {
            return StoreResult(
                json: Self.json(nil, token: token, in: environment), lines: Self.requested(token, in: environment),
                notes: ["See whether your server accepted it with --token TOKEN --environment \(environment.rawValue)"])
        }
        // Only the environment that accepted the request knows the notification.
        let sent = try await sentNotification(withToken: token, from: client, in: environment)
        return Self.result(of: sent, token: token, in: environment)
    }

    /// Waits until the App Store has tried to send the notification, at most a minute.
    private func sentNotification(
        withToken token: String, from client: AppStoreServerClient, in environment: AppStoreEnvironment
    ) async throws(AppStoreServerError) -> AppStoreServerClient.SentNotification? {
        var sent: AppStoreServerClient.SentNotification?
        for seconds in [1, 2, 4, 8, 15, 30] {
            do throws(AppStoreServerError) {
                sent = try await client.testNotificationStatus(token, in: environment)
                if sent?.unverified.sendAttempts.isEmpty == false { return sent }
            } catch {
                guard error.code == .testNotificationNotFound else { throw error }
            }
            guard (try? await client.configuration.clock.sleep(.seconds(seconds))) != nil else { return sent }
        }
        return sent
    }

    private static func json(
        _ sent: AppStoreServerClient.SentNotification?, token: String, in environment: AppStoreEnvironment
    ) -> AppStoreJSON {
        [
            "testNotificationToken": .string(token), "environment": .string(environment.rawValue),
            "result": sent?.json ?? .null,
        ]
    }

    private static func requested(_ token: String, in environment: AppStoreEnvironment) -> [String] {
        ["Requested a test notification in \(environment.rawValue). Its token:", token]
    }

    /// - Parameter sent: The notification and the attempts to send it; nil if the App Store hasn't sent it yet.
    private static func result(
        of sent: AppStoreServerClient.SentNotification?, token: String, in environment: AppStoreEnvironment
    ) -> StoreResult {
        let json = json(sent, token: token, in: environment)
        guard let sent else {
            return StoreResult(
                json: json, lines: requested(token, in: environment),
                notes: [
                    "The App Store hasn't sent it within a minute. Try again later with --token TOKEN --environment "
                        + "\(environment.rawValue)"
                ], isSuccess: false)
        }
        let isAccepted = sent.unverified.sendAttempts.contains { $0.result == .success }
        let verdict =
            isAccepted
            ? Terminal.output.styled("ACCEPTED", as: .good, .bold) + "   Your server accepted the test notification."
            : Terminal.output.styled("NOT ACCEPTED", as: .bad, .bold)
                + "   Your server hasn't accepted the test notification."
        let attempts = sent.attempts.map { "  " + Terminal.escaped($0) }
        let note =
            "Your server must respond with a status from 200 to 206, at the address that App Store Connect has for "
            + "\(environment.rawValue)."
        return StoreResult(
            json: json,
            lines: [verdict, "", "Attempts, \(environment.rawValue) (unverified)"]
                + (attempts.isEmpty ? ["  none"] : attempts),
            notes: isAccepted ? [] : [note], isSuccess: isAccepted)
    }
}
