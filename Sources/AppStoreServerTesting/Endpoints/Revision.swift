import AppReceiptFoundation
import AppReceiptSupport
import AppStoreServerAPI
import Crypto

/// A position in a history: which modifications the client has not seen yet.
@available(AppStoreServerAPI 1.0, *)
struct Revision {
    /// Identifies the request. A revision is valid only for the request that it was made for.
    private let request: String
    /// The last modification that the client has seen. Everything later is new.
    private var seen: Int
    /// In descending pages, the first modification of the page before; 0 if the next page is the first.
    private var before = 0
    /// In descending pages, the last modification when the first page was made.
    private var mark = 0

    static let pageSize = 20

    /// A page, and the revision for the next one.
    struct Page {
        let transactions: [StoredTransaction]
        let revision: Revision
        let hasMore: Bool
    }

    /// Reads a revision, or begins with the first page.
    ///
    /// - Parameters:
    ///   - text: The query parameter.
    ///   - request: The endpoint, the customer and the filters.
    ///   - scope: The app and the environment.
    init(_ text: String?, for request: String, in scope: Scope.Name) throws(APIError) {
        let full = "\(scope.bundleIdentifier)|\(scope.environment.rawValue)|\(request)"
        self.request = SHA256.hash(data: Data(full.utf8)).prefix(8).map { $0 }.hexadecimal()
        seen = 0
        guard let text else { return }
        guard let bytes = try? Base64URL.decode(ArraySlice(text.utf8)) else { throw .invalidRequestRevision }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "_")
        guard parts.count == 4, parts[0] == self.request, let seen = Int(parts[1]), let before = Int(parts[2]),
            let mark = Int(parts[3])
        else { throw .invalidRequestRevision }
        (self.seen, self.before, self.mark) = (seen, before, mark)
    }

    /// The query parameter.
    var text: String { Base64URL.encode(Array("\(request)_\(seen)_\(before)_\(mark)".utf8)) }

    /// Returns the next page of transactions, sorted by modification.
    func page(of transactions: [StoredTransaction], isDescending: Bool, lastNumber: Int) -> Page {
        let unseen = transactions.filter { $0.modification > seen && (before == 0 || $0.modification < before) }
            .sorted { isDescending ? $0.modification > $1.modification : $0.modification < $1.modification }
        let page = Array(unseen.prefix(Self.pageSize))
        let hasMore = unseen.count > page.count
        var next = self
        if !isDescending {
            next.seen = page.last?.modification ?? seen
        } else {
            let mark = before == 0 ? lastNumber : mark
            (next.before, next.mark) = hasMore ? (page.last?.modification ?? 0, mark) : (0, 0)
            if !hasMore { next.seen = mark }
        }
        return Page(transactions: page, revision: next, hasMore: hasMore)
    }
}
