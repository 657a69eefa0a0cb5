import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerReply {
    /// A response with a JSON object, or without a body.
    init(status: Int, json: JSONObject?) {
        guard let json else {
            self.init(status: status)
            return
        }
        self.init(status: status, contentType: "application/json", body: JSONValue.object(json).text())
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
            self.init(status: 429, json: FakeServerError.rateLimitExceeded.body)
            switch retryAfter {
            case .date(let date): response.headers["retry-after"] = String(date.milliseconds)
            case .seconds(let seconds): response.headers["retry-after"] = String(seconds)
            case nil: break
            }
        case .error(let code):
            let error = FakeServerError(code)
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
