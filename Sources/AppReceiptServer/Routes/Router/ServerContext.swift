#if Server
import AppReceiptStore
import HTTPTypes
import Hummingbird
import Logging

/// The context of a request: what is known about it besides its content.
@available(AppReceiptServer 1.0, *)
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The account that submits the request, as it is stored; nil if the request names none.
    var account: String?
    /// The apps about which the client may ask.
    var access = Access.everyApp

    init(source: ApplicationRequestContextSource) { coreContext = CoreRequestContextStorage(source: source) }

    /// Logs what an administrator changed, and with which token, but not whose purchases.
    ///
    /// - Parameters:
    ///   - message: What was changed.
    ///   - purchases: The number of purchases.
    func logAdministration(_ message: String, purchases: Int) {
        logger.notice(
            "\(message)",
            metadata: ["purchases": .stringConvertible(purchases), "token": "\(access.token ?? "none")"])
    }

    /// Returns the context with the account in the header `X-Account`, if the request has it.
    func withAccount(of request: Request) throws(APIError) -> ServerContext {
        guard let account = request.headers[.account] else { return self }
        return try with(account: account, from: .header)
    }

    /// Returns the context with the account in the path.
    func withAccountInPath() throws(APIError) -> ServerContext {
        try with(account: pathValue("account"), from: .path)
    }

    /// Returns a component of the path, decoded.
    func pathValue(_ name: String) throws(APIError) -> String {
        guard let value = parameters.get(name).flatMap(Self.percentDecoded) else {
            throw .badRequest(.pathMalformed, "The path isn't percent-encoded UTF-8.")
        }
        return value
    }

    /// Returns text without its percent-encoding (RFC 3986, 2.1); nil if it isn't UTF-8.
    private static func percentDecoded(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            rest = rest.dropFirst(2)
            guard digits.count == 2, let value = UInt8(Substring(digits), radix: 16), digits.first != 0x2B else {
                return nil
            }
            bytes.append(value)
        }
        let decoded = String(decoding: bytes, as: UTF8.self)
        return decoded.utf8.elementsEqual(bytes) ? decoded : nil
    }

    /// The place of the account in a request.
    enum AccountSource: String, Sendable {
        case header = "header X-Account"
        case path = "account in the path"
    }

    private func with(account: String, from source: AccountSource) throws(APIError) -> ServerContext {
        guard account.utf8.count <= 256 else {
            throw .badRequest(.accountTooLong, "The \(source.rawValue) is longer than 256 bytes.")
        }
        // Clients and proxies encode other characters differently. An empty account would silently disable the
        // detection of replays.
        guard !account.isEmpty, account.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .accountMalformed(in: source)
        }
        var context = self
        context.account = Accounts.canonicalName(account)
        return context
    }
}

@available(AppReceiptServer 1.0, *)
extension APIError {
    /// Returns the error about an account that is empty, or has other characters than visible ones of ASCII.
    static func accountMalformed(in source: ServerContext.AccountSource) -> APIError {
        badRequest(
            .accountMalformed,
            "The \(source.rawValue) must occur once, with visible ASCII characters only, and must not be empty.")
    }
}
#endif
