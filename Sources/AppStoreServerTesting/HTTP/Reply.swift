import AppReceiptSupport
package import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// A response, and how it is delivered.
    package struct Reply: Sendable {
        /// The response.
        package var response: AppStoreServerHTTPResponse
        /// The time before the response begins.
        package var delay: Duration = .zero
        /// The pause after each byte of the body; nil to send the body at once.
        package var drip: Duration?
        /// The point at which the connection is cut; nil if it isn't.
        package var cut: Cut?

        /// The reason for 401; nil if the request is authorized.
        package var authorizationFailure: FakeAppStoreServer.AuthorizationFailure?

        /// A point at which a connection is cut.
        package enum Cut: Sendable {
            case beforeResponse
            case midway
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer.Reply {
    /// A response with a JSON object, or without a body.
    init(status: Int, json: AppStoreJSON.Object?) {
        guard let json else {
            self.init(status: status)
            return
        }
        self.init(status: status, contentType: "application/json", body: AppStoreJSON.object(json).text())
    }

    /// A response without a body, or with one that isn't JSON.
    init(status: Int, contentType: String? = nil, body: [UInt8] = []) {
        let headers = contentType.map { ["content-type": $0] } ?? [:]
        self.init(response: AppStoreServerHTTPResponse(status: status, headers: headers, body: body))
    }

    /// The response to a fault that replaces the answer of the API; nil for other faults.
    init?(replacing fault: FakeAppStoreServer.Fault?) {
        switch fault {
        case .connectionCut:
            self.init(status: 200)
            cut = .beforeResponse
        case .html(let status):
            let page =
                "<html><head><title>\(status)</title></head><body><h1>\(status) Service Error</h1></body></html>\n"
            self.init(status: status, contentType: "text/html", body: Array(page.utf8))
        case .empty(let status):
            self.init(status: status)
        case .rateLimit(let retryAfter):
            self.init(status: 429, json: APIError.rateLimitExceeded.body)
            switch retryAfter {
            case .date(let date): response.headers["retry-after"] = String(date.milliseconds)
            case .seconds(let seconds): response.headers["retry-after"] = String(seconds)
            case nil: break
            }
        case .error(let code):
            let error = APIError(code)
            self.init(status: error.status, json: error.body)
        default: return nil
        }
    }

    /// Applies a fault that changes the delivery of the answer.
    mutating func apply(_ fault: FakeAppStoreServer.Fault?) {
        switch fault {
        case .delay(let duration): delay = duration
        case .drip(let pause): drip = pause
        case .connectionCutMidway: cut = .midway
        case .truncatedJSON: response.body.removeLast(response.body.count - response.body.count / 2)
        default: break
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreJSON.Object {
    /// Returns the body of a response with a fault.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - cursor: The revision or pagination token of an endless page.
    func with(_ fault: FakeAppStoreServer.Fault?, cursor: String) -> AppStoreJSON.Object {
        var changed = self
        switch fault {
        case .endlessPages:
            guard self["hasMore"] != nil else { return self }
            changed["hasMore"] = true
            changed[self["notificationHistory"] == nil ? "revision" : "paginationToken"] = .string(cursor)
        case .missingHasMore: changed["hasMore"] = nil
        case .oversized(let bytes): changed["padding"] = .string(String(repeating: "x", count: Swift.max(0, bytes)))
        case .unknownMembers: changed = mapped { TokenSigner.extended($0) }
        case .unknownValues: changed = mapped { $0.replacing(Self.unknownValues) }
        default: break
        }
        return changed
    }

    /// Changes the object and all objects in it.
    private func mapped(_ change: (AppStoreJSON.Object) -> AppStoreJSON.Object) -> AppStoreJSON.Object {
        func mapped(_ value: AppStoreJSON) -> AppStoreJSON {
            switch value {
            case .object(let object): .object(object.mapped(change))
            case .array(let elements): .array(elements.map { mapped($0) })
            default: value
            }
        }
        return change(
            AppStoreJSON.Object(
                distinct: members.map { AppStoreJSON.Object.Member(name: $0.name, value: mapped($0.value)) }))
    }

    private static let unknownValues: [String: AppStoreJSON] = [
        "environment": "FutureEnvironment", "status": 99, "sendAttemptResult": "FUTURE_VALUE",
    ]
}
