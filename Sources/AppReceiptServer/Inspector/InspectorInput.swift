#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// An input of the inspector, with the recognized content.
///
/// An input can be a receipt, an app's request to its back end, the body of a notification, or a quoted line of a log. The
/// wrapper around the content is removed and reported.
struct InspectorInput {
    /// The content.
    enum Kind {
        case receipt(ArraySlice<UInt8>)
        case signedData(String)
        /// A receipt of a single transaction, from before iOS 7.
        case transactionReceipt(ArraySlice<UInt8>)
    }

    /// The wrapper around the content.
    enum Wrapper: String {
        /// A request to verifyReceipt.
        case verifyReceiptRequest = "verify-receipt-request"
        /// A request to one of this server's routes for receipts or signed data.
        case serverRequest = "server-request"
        /// A notification of the App Store, or a response of its server API.
        case signedPayload = "signed-payload"
        /// Quotation marks.
        case quotationMarks = "quotation-marks"
        /// The header `Authorization`, with the word `Bearer`.
        case bearer
    }

    let kind: Kind
    let wrapper: Wrapper?
    /// The JSON member that contained the content.
    let member: String?
    /// The options of a request to this server. They are ignored, because the page has fields for them.
    let ignoredOptions: [String]
    /// Whether a verifyReceipt request excludes old transactions.
    let excludesOldTransactions: Bool
    /// The format of a receipt, or nil for other content.
    let format: ReceiptInput.Format?
    /// The receipt's container, or nil for other content.
    let containerBytes: ArraySlice<UInt8>?

    /// The members of JSON bodies that contain signed data, in the order of the search.
    private static let tokenMembers = [
        "signedPayload", "signedTransactionInfo", "signedAppTransactionInfo", "signedRenewalInfo",
    ]

    init(_ bytes: [UInt8], limits: ReceiptLimits) {
        var wrapper: Wrapper?
        var member: String?
        var excludesOldTransactions = false
        var ignoredOptions: [String] = []
        var content = Self.trimmed(bytes[...])
        if content.first == UInt8(ascii: "\""), let text = try? JSONValue(parsing: content).string {
            wrapper = .quotationMarks
            content = Self.trimmed(Array(text.utf8)[...])
        }
        if content.first == UInt8(ascii: "{"), let object = try? JSONValue(parsing: content).object {
            if let data = object["receipt-data"]?.string {
                wrapper = .verifyReceiptRequest
                member = "receipt-data"
                excludesOldTransactions = object["exclude-old-transactions"]?.boolean ?? false
                content = Array(data.utf8)[...]
            } else if let data = object["receipt"]?.string {
                wrapper = .serverRequest
                member = "receipt"
                ignoredOptions = Self.options(in: object)
                content = Array(data.utf8)[...]
            } else if let data = object["token"]?.string {
                wrapper = .serverRequest
                member = "token"
                ignoredOptions = Self.options(in: object)
                content = Array(data.utf8)[...]
            } else if let name = Self.tokenMembers.first(where: { object[$0]?.string != nil }) {
                wrapper = .signedPayload
                member = name
                ignoredOptions = Self.options(in: object)
                content = Array((object[name]?.string ?? "").utf8)[...]
            }
        }
        let bearer = Array("Bearer ".utf8)
        if content.starts(with: bearer) {
            wrapper = .bearer
            content = Self.trimmed(content.dropFirst(bearer.count))
        }
        // Binary content isn't trimmed: whitespace bytes at its ends belong to it.
        let source = wrapper == nil ? bytes[...] : content
        self.wrapper = wrapper
        self.member = member
        self.ignoredOptions = ignoredOptions
        self.excludesOldTransactions = excludesOldTransactions
        if wrapper == .signedPayload || member == "token" || content.isPlausibleJWS {
            kind = .signedData(String(decoding: content, as: UTF8.self))
            (format, containerBytes) = (nil, nil)
            return
        }
        do throws(ReceiptError) {
            let input = try ReceiptInput(source, limits: limits)
            (format, containerBytes) = (input.format, input.containerBytes)
            kind = .receipt(source)
        } catch {
            (format, containerBytes) = (nil, nil)
            kind = error.code == .inputTransactionReceipt ? .transactionReceipt(source) : .receipt(source)
        }
    }

    private static func options(in object: JSONObject) -> [String] {
        ["bundle-id", "environment", "app-version", "original-app-version", "device-id", "app-apple-id"].filter {
            object[$0].map { $0 != .null } ?? false
        }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text).trimmingWhitespace
    }
}
#endif
