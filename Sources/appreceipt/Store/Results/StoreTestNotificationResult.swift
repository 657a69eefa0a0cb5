import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI

/// A test notification that was requested, and whether the App Store could send it.
@available(AppStoreServerAPI 1.0, *)
struct StoreTestNotificationResult: StoreResult {
    let token: String
    let environment: ReceiptEnvironment.Base
    /// Whether the result was waited for.
    let isAwaited: Bool
    /// The notification and the attempts to send it; nil if the App Store hasn't sent it yet.
    let sent: AppStoreServerClient.SentNotification?

    private var attempts: [AppStoreServerClient.SentNotification.SendAttempt] { sent?.unverified.sendAttempts ?? [] }

    private var isAccepted: Bool { attempts.contains { $0.result == .success } }

    var isSuccess: Bool { !isAwaited || isAccepted }

    var json: JSONValue {
        [
            "testNotificationToken": .string(token), "environment": .string(environment.rawValue),
            "result": sent.map(StoreNotificationsResult.json) ?? .null,
        ]
    }

    var lines: [String] {
        guard let sent else { return ["Requested a test notification in \(environment.rawValue). Its token:", token] }
        let verdict =
            isAccepted
            ? Terminal.output.styled("ACCEPTED", .good, .bold) + "   Your server accepted the test notification."
            : Terminal.output.styled("NOT ACCEPTED", .bad, .bold)
                + "   Your server hasn't accepted the test notification."
        return [verdict, "", "Attempts, \(environment.rawValue) (unverified)"]
            + (attempts.isEmpty
                ? ["  none"] : StoreNotificationsResult.attempts(sent).map { "  " + Terminal.escaped($0) })
    }

    var notes: [String] {
        guard isAwaited else {
            return [
                "See whether your server accepted it with --token TOKEN --environment \(environment.rawValue)"
            ]
        }
        if sent == nil {
            return [
                "The App Store hasn't sent it within a minute. Ask again later with --token TOKEN --environment \(environment.rawValue)"
            ]
        }
        if isAccepted { return [] }
        return [
            "Your server must answer with a status from 200 to 206, at the address that App Store Connect has for \(environment.rawValue)."
        ]
    }
}
