#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreServerTesting
import ArgumentParser

/// The value of `--fault`: `ENDPOINT:FAULT[:COUNT]`.
@available(AppReceiptServer 1.0, *)
struct FaultArgument: Sendable {
    /// The endpoint; nil for all.
    let endpoint: FakeAppStoreServer.Endpoint?
    let fault: FakeAppStoreServer.Fault
    /// The number of requests; nil for all.
    let count: Int?

    static let help = """
          delay=SECONDS         a late response
          drip[=SECONDS]        a body of which a byte arrives each second, or as given
          cut, cut-midway       no response, or half of one
          502, 503, 504         an HTML page; another HTTP status: no body
          429[=SECONDS|DATE]    error 4290000, Retry-After as given
          4040010               an error code of the API
          endless, endless-new  pages without end, with one revision or new ones
          forged, foreign       altered signatures, or other certificates
          other-app=ID, other-environment, other-transaction
                                tokens that were not requested
          oversized=BYTES, truncated, no-has-more, unknown-members,
          unknown-values        unexpected JSON
        """

    /// Reads the value of the option.
    init(_ text: String) throws {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 2 else {
            throw ValidationError("Expected endpoint:fault[:count], for example history:502:2.")
        }
        let name = parts.removeFirst()
        endpoint = FakeAppStoreServer.Endpoint(rawValue: name)
        guard endpoint != nil || name == "any" else {
            let names = FakeAppStoreServer.Endpoint.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(name)' isn't an endpoint. Expected any, \(names).")
        }
        var count: Int? = 1
        if parts.count > 1, let last = parts.last, last == "always" || Int(last) != nil {
            count = last == "always" ? nil : Int(last)
            parts.removeLast()
        }
        guard count ?? 1 > 0 else { throw ValidationError("The count of a fault must be at least 1.") }
        self.count = count
        // A date contains colons.
        let words = parts.joined(separator: ":").split(separator: "=", maxSplits: 1).map(String.init)
        guard let kind = words.first, let fault = try Self.fault(kind, value: words.count > 1 ? words.last : nil) else {
            if parts.count > 1, try Self.fault(parts[0], value: nil) != nil {
                throw ValidationError("'\(parts[1])' isn't a count. Expected a number or always.")
            }
            throw ValidationError("'\(text)' doesn't contain a fault. See 'appreceipt store fake --help'.")
        }
        self.fault = fault
    }

    private static func fault(_ kind: String, value: String?) throws -> FakeAppStoreServer.Fault? {
        switch (kind, value) {
        case ("delay", let seconds?): Double(seconds).flatMap { (0...86_400).contains($0) ? .delay(.seconds($0)) : nil }
        case ("drip", let seconds):
            (seconds.map { Double($0) } ?? 1).flatMap { (0...60).contains($0) ? .drip(.seconds($0)) : nil }
        case ("other-app", let bundle?): .otherApp(bundle)
        case ("oversized", let bytes?): Int(bytes).flatMap { (0...maxBytes).contains($0) ? .oversized(bytes: $0) : nil }
        case ("429", let time?):
            try .rateLimit(Int(time).map { .seconds($0) } ?? .date(ArgumentConversion.date(time)))
        case (_, nil): plain[kind] ?? number(kind)
        default: nil
        }
    }

    /// Returns a fault that is an HTTP status or an error code.
    private static func number(_ text: String) -> FakeAppStoreServer.Fault? {
        switch Int64(text) {
        case 429?: .rateLimit(nil)
        case let status? where (502...504).contains(status): .html(status: Int(status))
        case let status? where (200...599).contains(status): .empty(status: Int(status))
        case let code? where (4_000_000..<6_000_000).contains(code): .error(code)
        default: nil
        }
    }

    private static let maxBytes = 256 << 20

    private static let plain: [String: FakeAppStoreServer.Fault] = [
        "cut": .connectionCut, "cut-midway": .connectionCutMidway, "endless": .endlessPages(newRevision: false),
        "endless-new": .endlessPages(newRevision: true), "forged": .forgedSignature, "foreign": .foreignSigner,
        "other-environment": .otherEnvironment, "other-transaction": .otherTransaction,
        "truncated": .truncatedJSON,
        "no-has-more": .missingHasMore, "unknown-members": .unknownMembers, "unknown-values": .unknownValues,
    ]
}
#endif
