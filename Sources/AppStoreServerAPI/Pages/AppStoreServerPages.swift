import AppReceiptKit

/// The pages of a list, each of which is requested when it is needed.
///
/// ```swift
/// var transactions: [VerifiedTransaction] = []
/// for try await page in client.history(ofCustomer: identifier) {
///     transactions += page.transactions
/// }
/// ```
///
/// The environment that knows the customer is determined by the first page, and kept. Iteration ends with an
/// ``AppStoreServerError`` if a page can't be read, if the response names a page that was read before, if several
/// pages in a row repeat only earlier items, after ``AppStoreServerConfiguration/maxPages`` pages, and with the code
/// `canceled` if the task is canceled.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerPages<Page: Sendable>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Page

    // Not a typed throw: its metadata in a generic type needs newer systems.
    typealias Fetch =
        @Sendable (_ environment: AppStoreEnvironment?, _ token: String?) async throws -> FetchedPage<Page>

    private let environment: AppStoreEnvironment?
    private let token: String?
    private let maxPages: Int
    private let fetch: Fetch

    /// - Parameters:
    ///   - environment: The environment to ask; nil for those of the client.
    ///   - token: The token of the first page; nil to begin with the first.
    ///   - maxPages: How many pages are read at most.
    ///   - fetch: Requests a page.
    init(
        environment: AppStoreEnvironment?, token: String?, maxPages: Int, fetch: @escaping Fetch
    ) {
        self.environment = environment
        self.token = token
        self.maxPages = maxPages
        self.fetch = fetch
    }

    /// Requests the pages in order.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var environment: AppStoreEnvironment?
        private var token: String?
        private var seenTokens: Set<String>
        private var seenItems: Set<String> = []
        private var repeatedPages = 0
        private var count = 0
        private var isFinished = false
        private let maxPages: Int
        /// The number of pages in a row that may repeat only earlier items. An item that changes between two requests
        /// is listed twice.
        private let maxRepeatedPages = 3
        private let fetch: Fetch

        fileprivate init(_ pages: AppStoreServerPages) {
            environment = pages.environment
            token = pages.token
            seenTokens = Set([pages.token].compactMap(\.self))
            maxPages = pages.maxPages
            fetch = pages.fetch
        }

        /// Requests the next page.
        ///
        /// - Returns: The page, or nil after the last one.
        /// - Throws: ``AppStoreServerError``.
        public mutating func next() async throws -> Page? { try await nextPage() }

        mutating func nextPage() async throws(AppStoreServerError) -> Page? {
            guard !isFinished else { return nil }
            isFinished = true
            guard !Task.isCancelled else { throw AppStoreServerError(.canceled, in: environment) }
            guard count < maxPages else {
                throw AppStoreServerError(
                    .tooManyPages, message: "There are more than \(maxPages) pages.", in: environment)
            }
            let fetched: FetchedPage<Page>
            do {
                fetched = try await fetch(environment, token)
            } catch let error as AppStoreServerError {
                throw error
            } catch {
                throw AppStoreServerError(.canceled, in: environment)
            }
            count += 1
            environment = fetched.environment
            guard fetched.hasMore else { return fetched.page }
            guard let next = fetched.nextToken, !next.isEmpty else {
                throw AppStoreServerError(
                    .responseUnreadable, message: "The response says that there is another page, but doesn't name it.",
                    in: environment)
            }
            guard seenTokens.insert(next).inserted else { throw AppStoreServerError(.pagesWithoutEnd, in: environment) }
            try note(fetched.items)
            token = next
            isFinished = false
            return fetched.page
        }

        /// Remembers the items of a page that isn't the last one.
        private mutating func note(_ items: Set<String>) throws(AppStoreServerError) {
            guard !items.isEmpty else { return }
            repeatedPages = items.isSubset(of: seenItems) ? repeatedPages + 1 : 0
            seenItems.formUnion(items)
            guard repeatedPages < maxRepeatedPages else {
                throw AppStoreServerError(
                    .pagesWithoutEnd,
                    message:
                        "\(maxRepeatedPages) pages in a row repeat items of earlier pages, and the response names yet another page.",
                    in: environment)
            }
        }
    }

    /// Creates an iterator that begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Reads all pages.
    ///
    /// - Parameter progress: Called with each page.
    /// - Returns: The pages in order.
    /// - Throws: The first failure. No page is returned then: iterate to keep those that were read.
    public func all(
        progress: @Sendable (Page) -> Void = { _ in }
    ) async throws(AppStoreServerError) -> [Page] {
        var pages: [Page] = []
        var iterator = makeAsyncIterator()
        while let page = try await iterator.nextPage() {
            progress(page)
            pages.append(page)
        }
        return pages
    }
}

/// A page, and how to request the next one.
@available(AppStoreServerAPI 1.0, *)
struct FetchedPage<Page: Sendable>: Sendable {
    let page: Page
    let environment: AppStoreEnvironment
    /// Whether the response says that there is another page.
    let hasMore: Bool
    /// The token of the next page.
    let nextToken: String?
    /// The identifiers of the items. A list whose pages repeat only earlier items has no end.
    var items: Set<String> = []
}
