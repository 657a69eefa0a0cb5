import AppReceiptKit
import AppReceiptSupport

/// The known members of a request. The receipt's text is a part of the body where possible, because it is most of a
/// request.
///
/// Other members are skipped without copying them, so that they don't add to the cost of a request.
struct RequestMembers: Sendable {
    /// The receipt in base64 (`receipt-data`), in UTF-8, or JSON if it is an array or object.
    let receiptData: Result<ArraySlice<UInt8>, ReceiptError>
    /// The whole request if it has members that Apple doesn't document, otherwise nil.
    let textWithOtherMembers: ArraySlice<UInt8>?
    /// The shared secret (`password`).
    let password: String?
    /// Whether only the newest transaction of each subscription is requested (`exclude-old-transactions`).
    let excludesOldTransactions: Bool

    /// The size of what may contain a receipt.
    var count: Int { (textWithOtherMembers ?? (try? receiptData.get()))?.count ?? 0 }

    /// The members of a request that was parsed already.
    init(_ request: VerifyReceiptRequest) {
        receiptData = .success(Array(request.receiptData.utf8)[...])
        textWithOtherMembers = nil
        password = request.password
        excludesOldTransactions = request.excludesOldTransactions
    }

    /// Parses the body of a request, like `VerifyReceiptRequest.init(parsing:limits:)`.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - limits: The limits.
    ///   - acceptsWrappers: Whether `receipt-data` may be an array or object, or missing. Otherwise, these are errors
    ///     before the other members are read.
    init(
        parsing body: some Collection<UInt8>, limits: ReceiptLimits, acceptsWrappers: Bool = false
    ) throws(ReceiptError) {
        guard body.count <= limits.maxInputBytes else {
            throw ReceiptError(
                .requestTooLarge, "The request is larger than the limit of \(limits.maxInputBytes) bytes.")
        }
        let text = ((body as? ArraySlice<UInt8>) ?? Array(body)[...]).withoutByteOrderMark
        var values = Values()
        do throws(JSONScanner.Fault) {
            try values.read(text)
        } catch {
            throw ReceiptError(
                .requestMalformed, offset: error.position, text.isEmpty ? "The request is empty." : nil)
        }
        if let duplicate = values.duplicate { throw ReceiptError(.requestMemberDuplicate, offset: duplicate) }
        switch values.receiptData {
        case nil, .null?: receiptData = .failure(ReceiptError(.receiptDataMissing))
        case .string(let data)?: receiptData = .success(data)
        case .container(let json)? where acceptsWrappers: receiptData = .success(json)
        default: receiptData = .failure(ReceiptError(.receiptDataMistyped))
        }
        if !acceptsWrappers { _ = try receiptData.get() }
        textWithOtherMembers = values.hasOtherMembers ? text : nil
        switch values.password {
        case nil, .null?: password = nil
        case .string(let secret)?: password = String(decoding: secret, as: UTF8.self)
        default: throw ReceiptError(.requestMemberMistyped, "The member 'password' isn't a string.")
        }
        switch values.excludesOldTransactions {
        case nil, .null?, .boolean(false)?: excludesOldTransactions = false
        case .boolean(true)?: excludesOldTransactions = true
        case .string(let text)? where text.elementsEqual("false".utf8): excludesOldTransactions = false
        case .string(let text)? where text.elementsEqual("true".utf8): excludesOldTransactions = true
        case .number(let text)? where text.elementsEqual("0".utf8): excludesOldTransactions = false
        case .number(let text)? where text.elementsEqual("1".utf8): excludesOldTransactions = true
        default: throw ReceiptError(.requestMemberMistyped, "The member 'exclude-old-transactions' isn't a Boolean.")
        }
    }

    /// The values of the known members as they were read.
    fileprivate struct Values {
        var receiptData: Value?
        var password: Value?
        var excludesOldTransactions: Value?
        /// Whether there are members that Apple doesn't document.
        var hasOtherMembers = false
        /// The position of a duplicate member. JSON parsers differ in which of the two they use.
        var duplicate: Int?

        /// Names are compared one by one, so their number is limited.
        private static let maxMembers = 64
    }

    fileprivate enum Value {
        case null
        case boolean(Bool)
        /// The decoded text in UTF-8.
        case string(ArraySlice<UInt8>)
        case number(ArraySlice<UInt8>)
        /// The text of an array or object.
        case container(ArraySlice<UInt8>)
    }
}

extension RequestMembers.Values {
    mutating func read(_ text: ArraySlice<UInt8>) throws(JSONScanner.Fault) {
        let bytes = text.span
        var scanner = JSONScanner(0..<bytes.count)
        var names: [ArraySlice<UInt8>] = []
        try scanner.open(.object, in: bytes)
        while try scanner.hasNext(bytes, in: .object, isFirst: names.isEmpty) {
            let position = scanner.position
            guard let name = try scanner.name(bytes).decodedBytes(text), names.count < Self.maxMembers else {
                throw .unexpected(position)
            }
            // Comparing a few names is faster than hashing them.
            guard !names.contains(where: { $0.isSame(as: name) }) else {
                duplicate = duplicate ?? position
                return
            }
            names.append(name)
            if name.elementsEqual("receipt-data".utf8) {
                receiptData = try Self.value(text, bytes, &scanner)
            } else if name.elementsEqual("password".utf8) {
                password = try Self.value(text, bytes, &scanner)
            } else if name.elementsEqual("exclude-old-transactions".utf8) {
                excludesOldTransactions = try Self.value(text, bytes, &scanner)
            } else {
                hasOtherMembers = true
                _ = try scanner.skip(bytes)
            }
        }
        try scanner.finish(bytes)
    }

    private static func value(
        _ text: ArraySlice<UInt8>, _ bytes: Span<UInt8>, _ scanner: inout JSONScanner
    ) throws(JSONScanner.Fault) -> RequestMembers.Value {
        switch try scanner.kind(bytes) {
        case .null:
            try scanner.null(bytes)
            return .null
        case .boolean:
            return .boolean(try scanner.boolean(bytes))
        case .string:
            let string = try scanner.string(bytes)
            guard let decoded = string.decodedBytes(text) else { throw .unexpected(string.range.lowerBound) }
            return .string(decoded)
        case .number:
            return .number(text.part(try scanner.number(bytes)))
        case .object, .array:
            return .container(text.part(try scanner.skip(bytes)))
        }
    }
}
