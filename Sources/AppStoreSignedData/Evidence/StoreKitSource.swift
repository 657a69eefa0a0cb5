#if canImport(Darwin) || SHAPE_APPLE
public import AppReceiptKit
public import Foundation
import StoreKit

/// Reads the tokens of the current customer from StoreKit 2.
///
/// Source: Apple, StoreKit, `Transaction.all`, `Product.SubscriptionInfo.status(for:)` and `AppTransaction.shared`.
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
public struct StoreKitSource: DeviceEvidenceSource {
    /// Creates a source.
    public init() {}

    /// Returns the tokens of `Transaction.all`. Unlike `Transaction.currentEntitlements`, it contains refunded
    /// transactions.
    public func transactionTokens() async -> [String] {
        var tokens: [String] = []
        for await result in Transaction.all { tokens.append(result.jwsRepresentation) }
        return tokens
    }

    /// Returns the tokens of the statuses of a subscription group.
    public func statusTokens(ofSubscriptionGroup identifier: String) async throws -> [SubscriptionStatusTokens] {
        try await Product.SubscriptionInfo.status(for: identifier).map { status in
            SubscriptionStatusTokens(
                transaction: status.transaction.jwsRepresentation, renewalInfo: status.renewalInfo.jwsRepresentation)
        }
    }

    /// Returns the token of the app transaction. The system may ask the customer to sign in if the device has none.
    public func appTransactionToken() async throws -> String? {
        guard #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) else { return nil }
        return try await AppTransaction.shared.jwsRepresentation
    }
}

@available(macOS 12, iOS 15, tvOS 15, watchOS 8, *)
extension DeviceEvidence {
    /// Reads and verifies the evidence that StoreKit 2 has about the current customer.
    ///
    /// - Parameters:
    ///   - receipt: The verified receipt, for purchases that were made before the app used StoreKit 2.
    ///   - expectations: The app, environments and device that the tokens must be for.
    ///   - verifier: The verifier. Default: one that trusts Apple's roots.
    ///   - now: The current time, used only to determine whether a token comes from the future.
    /// - Returns: The evidence that is valid.
    public static func current(
        receipt: VerifiedReceipt? = nil, expecting expectations: SignedDataExpectations,
        verifier: SignedDataVerifier = SignedDataVerifier(), now: Date = Date()
    ) async -> DeviceEvidence {
        await current(from: StoreKitSource(), receipt: receipt, expecting: expectations, verifier: verifier, now: now)
    }
}
#endif
