public import AppReceiptKit

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A receipt that was verified, with the bytes that it was verified from: what a history keeps of receipts.
///
/// The two cannot disagree, because the bytes are all that it is made of. It proves what `VerifiedReceipt` does and no
/// more. Keep ``der``, and verify it again when it comes back from storage.
public struct KnownReceipt: Sendable, Hashable {
    /// What was signed.
    public let receipt: VerifiedReceipt

    /// The container as it was given, binary: what Apple calls `latest_receipt`, before base64.
    public let der: ArraySlice<UInt8>

    /// The receipt in these bytes, or the first thing that is wrong with it.
    ///
    /// - Parameters:
    ///   - bytes: the receipt as DER, BER, base64 or PEM.
    ///   - verifier: with the roots to trust.
    ///   - expectations: what it must say.
    ///   - now: when a receipt that expires is looked at.
    /// - Throws: the first failure, with its code and stage.
    public init(
        verifying bytes: some Collection<UInt8>, with verifier: ReceiptVerifier, expecting expectations: Expectations,
        now: Date = Date()
    ) throws(ReceiptError) {
        let container = try ReceiptInput(bytes, limits: verifier.limits).der
        try self.init(container: container, verifier, expectations, now: now)
    }

    /// The same for a container that was taken out of its text already.
    init(
        container: ArraySlice<UInt8>, _ verifier: ReceiptVerifier, _ expectations: Expectations, now: Date
    ) throws(ReceiptError) {
        receipt = try verifier.verify(container, expecting: expectations, now: now)
        der = container
    }

    /// The lines that it holds purchases of, each named by its original transaction.
    package var lines: Set<String> { Set(receipt.receipt.purchases.compactMap(\.line)) }

    /// Whether it holds a purchase of one of these lines.
    package func holds(anyOf lines: Set<String>) -> Bool {
        receipt.receipt.purchases.contains { $0.line.map(lines.contains) ?? false }
    }

    /// Whether each purchase that it holds is of one of these lines. One that names no line is of none of them.
    func holdsNothing(but lines: Set<String>) -> Bool {
        receipt.receipt.purchases.allSatisfy { $0.line.map(lines.contains) ?? false }
    }
}

extension KnownReceipt {
    /// Equal are receipts of the same bytes, whenever they were looked at.
    public static func == (left: KnownReceipt, right: KnownReceipt) -> Bool { left.der == right.der }
    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension InAppPurchase {
    /// What its line is known by: the original transaction, or its own where no original is named.
    var line: String? { originalTransactionIdentifier ?? transactionIdentifier }
}

extension KnownReceipt: CustomStringConvertible {
    /// One line that names the app and nothing of its customer.
    public var description: String { "KnownReceipt(\(receipt.receipt.description))" }
}
