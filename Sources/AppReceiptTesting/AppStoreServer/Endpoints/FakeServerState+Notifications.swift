import AppReceiptSupport
import AppStoreServerAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    /// Request a Test Notification.
    mutating func requestTestNotification(_ call: FakeServerCall) throws -> FakeServerAnswer {
        guard call.app.hasNotificationURL else { throw FakeServerError.serverNotificationURLNotFound }
        let number = add(.test, data: [:], call)
        let token = "\(UUIDText.numbered(number))_\(call.time)"
        scopes[call.scope]?.testNotifications[token] = number
        return FakeServerAnswer(body: ["testNotificationToken": .string(token)])
    }

    /// Get Test Notification Status.
    func testNotification(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let parts = call.argument.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUIDText.isValid(String(parts[0])), Int64(parts[1]) != nil else {
            throw FakeServerError.invalidTestNotificationToken
        }
        let scope = scopes[call.scope]
        guard let number = scope?.testNotifications[call.argument],
            let notification = scope?.notifications.first(where: { $0.number == number })
        else { throw FakeServerError.testNotificationNotFound }
        return FakeServerAnswer(body: try item(notification, call))
    }

    /// A notification as members of a response. It shows the state when it was first sent, so it is signed at that date.
    func item(_ notification: FakeServerNotification, _ call: FakeServerCall) throws -> JSONObject {
        [
            "signedPayload": .string(try call.signer.token(notification.members)),
            "sendAttempts": notification.sendAttempts,
        ]
    }

    /// Adds a notification about a subscription to the history.
    mutating func notify(_ type: NotificationType, about original: String, _ call: FakeServerCall) throws {
        let customer = try customer(original, call)
        guard let subscription = customer.subscription(original) else { return }
        add(
            type,
            data: [
                "signedTransactionInfo": .string(try call.token(subscription, of: customer)),
                "signedRenewalInfo": .string(try call.renewalToken(subscription, of: customer)),
                "status": .number(JSONNumber(customer.status(of: subscription, at: call.time).rawValue)),
            ], call)
    }

    /// Adds the summary of an extension for all subscribers to the history.
    mutating func notifyOfSummary(
        _ request: FakeServerExtendRequest, _ product: String, _ storefronts: [String]?, succeeded: Int, failed: Int,
        _ call: FakeServerCall
    ) {
        var summary = call.appMembers
        summary["requestIdentifier"] = .string(request.requestIdentifier)
        summary["productId"] = .string(product)
        summary["storefrontCountryCodes"] = storefronts.map { .array($0.map { .string($0) }) }
        summary["succeededCount"] = .number(JSONNumber(succeeded))
        summary["failedCount"] = .number(JSONNumber(failed))
        add(.renewalExtension, subtype: .summary, summary: summary, call)
    }

    /// Adds a notification that is delivered now.
    @discardableResult
    private mutating func add(
        _ type: NotificationType, subtype: NotificationSubtype? = nil, data: JSONObject? = nil,
        summary: JSONObject? = nil, _ call: FakeServerCall
    ) -> Int {
        var members: JSONObject = [
            "notificationType": .string(type.rawValue), "notificationUUID": .string(UUIDText.numbered(lastNumber + 1)),
            "version": "2.0", "signedDate": .milliseconds(call.time),
        ]
        members["subtype"] = subtype.map { .string($0.rawValue) }
        members["summary"] = summary.map { .object($0) }
        if let data {
            var all = call.appMembers
            all["bundleVersion"] = "1"
            for member in data.members { all[member.name] = member.value }
            members["data"] = .object(all)
        }
        let now = Date(timeIntervalSince1970: Double(call.time) / 1000)
        return add(notification: members, attempts: [FakeAppStoreServer.SendAttempt(now)], to: call.scope)
    }
}
