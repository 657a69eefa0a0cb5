public import AppReceiptKit
import AppReceiptSupport

/// What Apple's verifyReceipt is asked.
public struct VerifyReceiptRequest: Sendable, Hashable {
    /// The receipt in base64 (`receipt-data`).
    public var receiptData: String

    /// The shared secret (`password`).
    public var password: String?

    /// Whether only the newest transaction of each subscription is wanted (`exclude-old-transactions`).
    public var excludesOldTransactions: Bool

    /// - Parameters:
    ///   - receiptData: the receipt in base64.
    ///   - password: the shared secret, nil for none.
    ///   - excludesOldTransactions: whether only the newest transaction of each subscription is wanted.
    public init(receiptData: String, password: String? = nil, excludesOldTransactions: Bool = false) {
        self.receiptData = receiptData
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// Reads the body of a request: one JSON object in UTF-8, each member once.
    ///
    /// Members that are not known are passed over, and null counts as absent. `exclude-old-transactions` is true or
    /// false; "true", "false", 1 and 0 are taken for these, because clients without booleans send them.
    ///
    /// - Throws: `request-too-large`, `request-malformed`, `request-member-duplicate` or `request-member-mistyped` for
    ///   what answers call an unreadable request; `receipt-data-missing` or `receipt-data-mistyped`.
    public init(parsing body: some Collection<UInt8>, limits: ReceiptLimits = .default) throws(ReceiptError) {
        guard body.count <= limits.inputBytes else {
            throw ReceiptError(.requestTooLarge, "The request is larger than the limit of \(limits.inputBytes) bytes.")
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
        default: throw ReceiptError(.requestMemberMistyped, "The member 'password' is not a string.")
        }
        switch members["exclude-old-transactions"] {
        case nil, .null?, .boolean(false)?, .string("false")?, .number("0")?: excludesOldTransactions = false
        case .boolean(true)?, .string("true")?, .number("1")?: excludesOldTransactions = true
        default: throw ReceiptError(.requestMemberMistyped, "The member 'exclude-old-transactions' is not a boolean.")
        }
    }
}

extension VerifyReceiptRequest: CustomStringConvertible {
    /// Nothing of the receipt or the secret.
    public var description: String {
        "VerifyReceiptRequest(\(receiptData.utf8.count) characters, \(password == nil ? "no" : "a") password)"
    }
}

/// The members of a request that mean something. The others are passed over without being read into memory, so that a
/// request costs no more than its receipt.
private struct RequestMembers {
    private var values: [String: Value] = [:]
    /// Where a member occurred for the second time. Readers differ in which of the two they take.
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
