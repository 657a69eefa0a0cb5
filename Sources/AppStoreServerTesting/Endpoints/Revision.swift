import AppReceiptFoundation
import AppReceiptSupport
import AppStoreServerAPI
import Crypto

/// A position in a history: which modifications the client has not seen yet.
@available(AppStoreServerAPI 1.0, *)
struct Revision {
    private let cursor: CursorText
    /// The last modification that the client has seen. Everything later is new.
    private var seen: Int
    /// In descending pages, the first modification of the page before; 0 if the next page is the first.
    private var before: Int = 0
    /// In descending pages, the last modification when the first page was made.
    private var mark: Int = 0

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
        cursor = CursorText(request: request, in: scope)
        seen = 0
        guard let text else { return }
        guard let numbers = cursor.numbers(in: text) else { throw .invalidRequestRevision }
        (seen, before, mark) = (numbers[0], numbers[1], numbers[2])
    }

    /// The query parameter.
    var text: String { cursor.text([seen, before, mark]) }

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

/// The text of a position in a list: three numbers, and the request for which they are valid.
@available(AppStoreServerAPI 1.0, *)
struct CursorText {
    private let request: String

    /// - Parameters:
    ///   - request: The endpoint, the customer and the filters.
    ///   - scope: The app and the environment.
    init(request: String, in scope: Scope.Name) {
        let full = "\(scope.bundleIdentifier)|\(scope.environment.rawValue)|\(request)"
        self.request = SHA256.hash(data: Data(full.utf8)).prefix(8).map { $0 }.hexadecimal()
    }

    func text(_ numbers: [Int]) -> String {
        Base64URL.encode(Array(([request] + numbers.map { String($0) }).joined(separator: "_").utf8))
    }

    /// Returns the three numbers in a text; nil if it is malformed or of another request.
    func numbers(in text: String) -> [Int]? {
        guard let bytes = try? Base64URL.decode(ArraySlice(text.utf8)) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "_")
        guard parts.first == request[...] else { return nil }
        let numbers = parts.dropFirst().compactMap { Int($0) }
        return parts.count == 4 && numbers.count == 3 ? numbers : nil
    }
}
