#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// What somebody put before the inspector, told apart by its bytes.
///
/// People paste what they have at hand: a receipt, the request of an app to a back end, the body of a notification, a
/// line of a log with quotation marks around it. What stands around is taken off and named.
struct InspectorInput {
    /// What is looked at.
    enum Kind {
        case receipt(ArraySlice<UInt8>)
        case signedData(String)
        /// A receipt of a single transaction, from before iOS 7.
        case transactionReceipt(ArraySlice<UInt8>)
    }

    /// What stood around it.
    enum Wrapper: String {
        /// A request to verifyReceipt.
        case verifyReceiptRequest = "verify-receipt-request"
        /// A request to this server: the body of its paths for receipts or signed data.
        case serverRequest = "server-request"
        /// The body of the App Store server's request, or an answer of its API.
        case signedPayload = "signed-payload"
        /// Quotation marks.
        case quotationMarks = "quotation-marks"
        /// The word `Bearer` of a header.
        case bearer
    }

    let kind: Kind
    let wrapper: Wrapper?
    /// The member that it stood in.
    let member: String?
    /// What a request to this server asks to have compared, by the names of its options. The page has fields for that.
    let notTaken: [String]
    /// Whether the request asks for the newest transactions only.
    let excludesOldTransactions: Bool
    /// The form of a receipt, if it is one.
    let format: ReceiptInput.Format?
    /// The receipt, binary, if it is one.
    let der: ArraySlice<UInt8>?

    /// The members of JSON bodies in which signed data comes, in the order in which they are looked for.
    private static let tokenMembers = [
        "signedPayload", "signedTransactionInfo", "signedAppTransactionInfo", "signedRenewalInfo",
    ]

    init(_ bytes: [UInt8], limits: ReceiptLimits) {
        var wrapper: Wrapper?
        var member: String?
        var excludesOldTransactions = false
        var notTaken: [String] = []
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
                notTaken = Self.compared(in: object)
                content = Array(data.utf8)[...]
            } else if let data = object["token"]?.string {
                wrapper = .serverRequest
                member = "token"
                notTaken = Self.compared(in: object)
                content = Array(data.utf8)[...]
            } else if let name = Self.tokenMembers.first(where: { object[$0]?.string != nil }) {
                wrapper = .signedPayload
                member = name
                notTaken = Self.compared(in: object)
                content = Array((object[name]?.string ?? "").utf8)[...]
            }
        }
        let bearer = Array("Bearer ".utf8)
        if content.starts(with: bearer) {
            wrapper = .bearer
            content = Self.trimmed(content.dropFirst(bearer.count))
        }
        // Blanks at the ends of binary content belong to it.
        let source = wrapper == nil ? bytes[...] : content
        self.wrapper = wrapper
        self.member = member
        self.notTaken = notTaken
        self.excludesOldTransactions = excludesOldTransactions
        if wrapper == .signedPayload || member == "token" || Self.isToken(content) {
            kind = .signedData(String(decoding: content, as: UTF8.self))
            (format, der) = (nil, nil)
            return
        }
        do throws(ReceiptError) {
            let input = try ReceiptInput(source, limits: limits)
            (format, der) = (input.format, input.der)
            kind = .receipt(source)
        } catch {
            (format, der) = (nil, nil)
            kind = error.code == .inputTransactionReceipt ? .transactionReceipt(source) : .receipt(source)
        }
    }

    private static func compared(in object: JSONObject) -> [String] {
        ["bundle-id", "environment", "app-version", "original-app-version", "device-id", "app-apple-id"].filter {
            object[$0].map { $0 != .null } ?? false
        }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
        text = text.drop(while: Base64.isWhitespace)
        while let last = text.last, Base64.isWhitespace(last) { text = text.dropLast() }
        return text
    }

    /// Three segments, the first of JSON.
    private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
        text.starts(with: Array("eyJ".utf8)) && text.reduce(0) { $0 + ($1 == UInt8(ascii: ".") ? 1 : 0) } == 2
    }
}
#endif
