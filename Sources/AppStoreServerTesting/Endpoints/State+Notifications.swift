import AppReceiptFoundation
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension State {
    /// Request a Test Notification.
    mutating func requestTestNotification(_ call: Call) throws -> Answer {
        guard call.app.hasNotificationURL else { throw APIError.serverNotificationURLNotFound }
        let number = add(.test, data: [:], for: call)
        let token = "\(UUIDText.numbered(number))_\(call.time)"
        scopes[call.scope]?.testNotifications[token] = number
        return Answer(body: ["testNotificationToken": .string(token)])
    }

    /// Get Test Notification Status.
    func testNotification(_ call: Call) throws -> Answer {
        let parts = call.argument.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, UUIDText.isValid(String(parts[0])), Int64(parts[1]) != nil else {
            throw APIError.invalidTestNotificationToken
        }
        let scope = scopes[call.scope]
        guard let number = scope?.testNotifications[call.argument],
            let notification = scope?.notifications.first(where: { $0.number == number })
        else { throw APIError.testNotificationNotFound }
        return Answer(body: try item(notification, for: call))
    }

    /// Returns a notification as members of a response. It shows the state when it was first sent, so it is signed at
    /// that date.
    func item(_ notification: StoredNotification, for call: Call) throws -> AppStoreJSON.Object {
        [
            "signedPayload": .string(try call.signer.token(notification.members)),
            "sendAttempts": notification.sendAttempts,
        ]
    }

    /// Adds a notification about a subscription to the history.
    mutating func notify(_ type: NotificationType, about original: String, for call: Call) throws {
        let customer = try customer(original, in: call.scope)
        guard let subscription = customer.subscription(original) else { return }
        add(
            type,
            data: [
                "signedTransactionInfo": .string(try call.token(subscription, of: customer)),
                "signedRenewalInfo": .string(try call.renewalToken(subscription, of: customer)),
                "status": .number(AppStoreJSON.Number(customer.status(of: subscription, at: call.time).rawValue)),
            ], for: call)
    }

    /// Adds the summary of an extension for all subscribers to the history.
    mutating func notify(
        ofExtension request: ExtensionRequest, product: String, storefronts: [String]?, succeeded: Int, failed: Int,
        for call: Call
    ) {
        var summary = call.appMembers
        summary["requestIdentifier"] = .string(request.requestIdentifier)
        summary["productId"] = .string(product)
        summary["storefrontCountryCodes"] = storefronts.map { .array($0.map { .string($0) }) }
        summary["succeededCount"] = .number(AppStoreJSON.Number(succeeded))
        summary["failedCount"] = .number(AppStoreJSON.Number(failed))
        add(.renewalExtension, subtype: .summary, summary: summary, for: call)
    }

    /// Adds a notification that is delivered now.
    @discardableResult
    private mutating func add(
        _ type: NotificationType, subtype: NotificationSubtype? = nil, data: AppStoreJSON.Object? = nil,
        summary: AppStoreJSON.Object? = nil, for call: Call
    ) -> Int {
        var members: AppStoreJSON.Object = [
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

/// The text of UUIDs.
enum UUIDText {
    static func isValid(_ text: String) -> Bool { UUID(uuidString: text) != nil }

    /// Returns a version 4 UUID that contains a number.
    static func numbered(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    }
}
