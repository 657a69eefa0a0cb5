import AppReceiptKit

/// A page, and how to request the next one.
@available(AppStoreServerAPI 1.0, *)
struct FetchedPage<Page: Sendable>: Sendable {
    let page: Page
    let environment: ReceiptEnvironment.Base
    /// Whether the response says that there is another page.
    let hasMore: Bool
    /// The token of the next page.
    let nextToken: String?
    /// The identifiers of the items. A list whose pages repeat only earlier items has no end.
    var items: Set<String> = []
}
