import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension JSONObject {
    /// Returns the body of a response with a fault.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - cursor: The revision or pagination token of an endless page.
    func with(_ fault: FakeAppStoreServer.Fault?, cursor: String) -> JSONObject {
        var changed = self
        switch fault {
        case .endlessPages:
            guard self["hasMore"] != nil else { return self }
            changed["hasMore"] = true
            changed[self["notificationHistory"] == nil ? "revision" : "paginationToken"] = .string(cursor)
        case .missingHasMore: changed["hasMore"] = nil
        case .oversized(let bytes): changed["padding"] = .string(String(repeating: "x", count: Swift.max(0, bytes)))
        case .unknownMembers: changed = mapped { FakeServerSigner.extended($0) }
        case .unknownValues: changed = mapped { $0.replacing(Self.unknownValues) }
        default: break
        }
        return changed
    }

    /// Changes the object and all objects in it.
    private func mapped(_ change: (JSONObject) -> JSONObject) -> JSONObject {
        func mapped(_ value: JSONValue) -> JSONValue {
            switch value {
            case .object(let object): .object(object.mapped(change))
            case .array(let elements): .array(elements.map { mapped($0) })
            default: value
            }
        }
        return change(
            JSONObject(distinct: members.map { JSONObject.Member(name: $0.name, value: mapped($0.value)) }))
    }

    private static let unknownValues: [String: JSONValue] = [
        "environment": "FutureEnvironment", "status": 99, "sendAttemptResult": "FUTURE_VALUE",
    ]
}
