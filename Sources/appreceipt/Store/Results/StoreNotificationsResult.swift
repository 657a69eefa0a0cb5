import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Notifications that the App Store sent, or tried to send.
@available(AppStoreServerAPI 1.0, *)
struct StoreNotificationsResult: StoreResult {
    let environment: ReceiptEnvironment.Base
    let notifications: [AppStoreServerClient.SentNotification]
    let rejected: [StoreRejection]

    init(_ pages: [AppStoreServerClient.NotificationHistoryPage], in environment: ReceiptEnvironment.Base) {
        self.environment = environment
        notifications = pages.flatMap(\.notifications)
        var offset = 0
        var rejected: [StoreRejection] = []
        for page in pages {
            rejected += page.rejected.map { StoreRejection($0, offset: offset) }
            offset += page.notifications.count + page.rejected.count
        }
        self.rejected = rejected
    }

    var isSuccess: Bool { rejected.isEmpty }

    var json: JSONValue {
        [
            "notifications": .array(notifications.map(Self.json)), "rejected": StoreRejection.json(rejected),
            "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        let title = Terminal.output.styled("Notifications, \(environment.rawValue) (\(notifications.count))", .bold)
        var table = Table(["signed (UTC)", "type", "subtype", "product", "unverified attempts"])
        for sent in notifications {
            let claims = sent.notification.claims
            table.add([
                TransactionText.minute(sent.notification.signedDate), claims.notificationType?.rawValue ?? "?",
                claims.subtype?.rawValue ?? "", sent.notification.transaction?.claims.productIdentifier ?? "",
                Self.attempts(sent).joined(separator: ", "),
            ])
        }
        return [title] + (notifications.isEmpty ? ["  none"] : table.lines(.output)) + StoreRejection.lines(rejected)
    }

    var notes: [String] { rejected.isEmpty ? [] : ["\(rejected.count) rejected."] }

    /// The notification as it was signed, its claims and those of its tokens, and the attempts to send it.
    static func json(_ sent: AppStoreServerClient.SentNotification) -> JSONValue {
        [
            "signedPayload": .string(sent.notification.notification.token),
            "notification": .object(sent.notification.claims.members),
            "transaction": sent.notification.transaction.map { .object($0.claims.members) } ?? .null,
            "renewalInfo": sent.notification.renewalInfo.map { .object($0.claims.members) } ?? .null,
            "appTransaction": sent.notification.appTransaction.map { .object($0.claims.members) } ?? .null,
            "unverified": [
                "sendAttempts": .array(
                    sent.unverified.sendAttempts.map { attempt in
                        [
                            "attemptDate": attempt.date.map {
                                .number(JSONNumber(Int64($0.timeIntervalSince1970 * 1000)))
                            }
                                ?? .null,
                            "sendAttemptResult": .text(attempt.result?.rawValue),
                        ]
                    })
            ],
        ]
    }

    /// For example "2024-07-02 15:04 TIMED_OUT".
    static func attempts(_ sent: AppStoreServerClient.SentNotification) -> [String] {
        sent.unverified.sendAttempts.map { attempt in
            [attempt.date.map(TransactionText.minute), attempt.result?.rawValue].compactMap(\.self).joined(
                separator: " ")
        }
    }
}
