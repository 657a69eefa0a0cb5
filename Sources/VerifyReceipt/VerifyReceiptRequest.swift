public import AppReceiptKit
import AppReceiptSupport

/// A verifyReceipt request.
public struct VerifyReceiptRequest: Sendable, Hashable {
    /// The receipt in base64 (`receipt-data`).
    public var receiptData: String

    /// The shared secret (`password`).
    public var password: String?

    /// Whether to return only the newest transaction of each subscription (`exclude-old-transactions`).
    public var excludesOldTransactions: Bool

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - receiptData: The receipt in base64.
    ///   - password: The shared secret; nil for none.
    ///   - excludesOldTransactions: Whether to return only the newest transaction of each subscription.
    public init(receiptData: String, password: String? = nil, excludesOldTransactions: Bool = false) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// Parses the body of a request: a JSON object in UTF-8 without duplicate members.
    ///
    /// Unknown members are ignored, and null is equivalent to absent. `exclude-old-transactions` is true or false; "true", "false", 1 and
    /// 0 are accepted too, because clients without Booleans send them.
    ///
    /// - Parameters:
    ///   - body: The body of the request.
    ///   - limits: The limits; `maxInputBytes` is the maximum size of the body.
    /// - Throws: `request-too-large`, `request-malformed`, `request-member-duplicate` or `request-member-mistyped` (status 21000);
    ///   `receipt-data-missing` or `receipt-data-mistyped` (status 21002).
    public init(parsing body: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        guard body.count <= limits.maxInputBytes else {
            throw ReceiptError(
                .requestTooLarge, "The request is larger than the limit of \(limits.maxInputBytes) bytes.")
        }
        let text = (body as? ArraySlice<UInt8>) ?? Array(body)[...]
        var members = RequestMembers()
        do throws(JSONScanner.Fault) {
            try members.read(text)
        } catch {
            throw ReceiptError(
                .requestMalformed, offset: error.position, text.isEmpty ? "The request is empty." : nil)
        }
        if let duplicate = members.duplicate { throw ReceiptError(.requestMemberDuplicate, offset: duplicate) }
        switch members["receipt-data"] {
        case nil, .null?: throw ReceiptError(.receiptDataMissing)
        case .string(let data)?: receiptData = data
        default: throw ReceiptError(.receiptDataMistyped)
        }
        switch members["password"] {
        case nil, .null?: password = nil
        case .string(let secret)?: password = secret
        default: throw ReceiptError(.requestMemberMistyped, "The member 'password' isn't a string.")
        }
        switch members["exclude-old-transactions"] {
        case nil, .null?, .boolean(false)?, .string("false")?, .number("0")?: excludesOldTransactions = false
        case .boolean(true)?, .string("true")?, .number("1")?: excludesOldTransactions = true
        default: throw ReceiptError(.requestMemberMistyped, "The member 'exclude-old-transactions' isn't a Boolean.")
        }
    }
}

extension VerifyReceiptRequest: CustomStringConvertible {
    /// A description without the receipt and the secret.
    public var description: String {
        "VerifyReceiptRequest(\(receiptData.utf8.count) characters, \(password == nil ? "no" : "a") password)"
    }
}

/// The known members of a request. Others are skipped without copying them, so that they don't add to the cost of a request.
private struct RequestMembers {
    private var values: [String: Value] = [:]
    /// The position of a duplicate member. JSON parsers differ in which of the two they use.
    private(set) var duplicate: Int?

    enum Value {
        case null
        case boolean(Bool)
        case string(String)
        case number(String)
        case other
    }

    subscript(name: String) -> Value? { values[name] }

    private static let known: Set = ["receipt-data", "password", "exclude-old-transactions"]
    private static let maxMembers = 64

    mutating func read(_ text: ArraySlice<UInt8>) throws(JSONScanner.Fault) {
        let bytes = text.span
        var scanner = JSONScanner(0..<bytes.count)
        var names: Set<String> = []
        try scanner.open(bytes, .object)
        while try scanner.hasNext(bytes, in: .object, isFirst: names.isEmpty) {
            let position = scanner.position
            guard let name = try scanner.name(bytes).decoded(text), names.count < Self.maxMembers else {
                throw .unexpected(position)
            }
            guard names.insert(name).inserted else {
                duplicate = duplicate ?? position
                return
            }
            if Self.known.contains(name) {
                values[name] = try Self.value(text, bytes, &scanner)
            } else {
                _ = try scanner.skip(bytes)
            }
        }
        try scanner.finish(bytes)
    }

    private static func value(
        _ text: ArraySlice<UInt8>, _ bytes: Span<UInt8>, _ scanner: inout JSONScanner
    ) throws(JSONScanner.Fault) -> Value {
        switch try scanner.kind(bytes) {
        case .null:
            try scanner.null(bytes)
            return .null
        case .boolean:
            return .boolean(try scanner.boolean(bytes))
        case .string:
            let string = try scanner.string(bytes)
            guard let decoded = string.decoded(text) else { throw .unexpected(string.range.lowerBound) }
            return .string(decoded)
        case .number:
            return .number(String(decoding: text.part(try scanner.number(bytes)), as: UTF8.self))
        case .object, .array:
            _ = try scanner.skip(bytes)
            return .other
        }
    }
}
