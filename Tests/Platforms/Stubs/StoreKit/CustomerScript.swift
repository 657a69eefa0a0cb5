import Foundation

/// The customer whom StoreKit 2's stand-ins describe.
public final class CustomerScript: @unchecked Sendable {
    public static let shared = CustomerScript()

    /// The error of a request that isn't prepared.
    public struct NotPrepared: Error {}

    private let lock = NSLock()
    private var transactionTokens: [String] = []
    private var statusTokens: [String: [(transaction: String, renewalInfo: String)]] = [:]
    private var appTransactionToken: String?

    /// Sets the tokens. A subscription group or an app transaction without tokens throws ``NotPrepared``.
    public func prepare(
        transactions: [String], statuses: [String: [(transaction: String, renewalInfo: String)]],
        appTransaction: String?
    ) {
        lock.withLock {
            transactionTokens = transactions
            statusTokens = statuses
            appTransactionToken = appTransaction
        }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    var transactions: [VerificationResult<Transaction>] {
        lock.withLock { transactionTokens.map { .verified(Transaction(token: $0)) } }
    }

    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
    func statuses(_ group: String) throws -> [Product.SubscriptionInfo.Status] {
        guard let statuses = lock.withLock({ statusTokens[group] }) else { throw NotPrepared() }
        return statuses.map {
            .init(
                transaction: .verified(Transaction(token: $0.transaction)),
                renewalInfo: .verified(.init(token: $0.renewalInfo)))
        }
    }

    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    var appTransaction: VerificationResult<AppTransaction> {
        get throws {
            guard let token = lock.withLock({ appTransactionToken }) else { throw NotPrepared() }
            return .verified(AppTransaction(token: token))
        }
    }
}
