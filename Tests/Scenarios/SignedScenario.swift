package import AppReceiptKit
import AppReceiptTesting
package import AppStoreSignedData
import Foundation

/// A scenario's evidence, signed once.
package struct SignedScenario {
    package let scenario: Scenario
    package let items: [Item]

    /// A signed source, as bytes and verified.
    package enum Item {
        case receipt([UInt8], VerifiedReceipt)
        case transaction(String, VerifiedTransaction)
        case renewal(String, VerifiedRenewalInfo)
        case notification(String, VerifiedNotification)

        /// The bytes for a command or request.
        package var bytes: [UInt8] {
            switch self {
            case .receipt(let bytes, _): bytes
            case .transaction(let token, _), .renewal(let token, _), .notification(let token, _): Array(token.utf8)
            }
        }
    }

    package static let receipts: ReceiptVerifier = {
        guard let anchors = try? TestPKI.standard.anchors else { preconditionFailure("The test PKI has a root.") }
        return ReceiptVerifier(anchors: anchors)
    }()

    package static let signedData: SignedDataVerifier = {
        guard let anchors = try? TestPKI.signedData.anchors else { preconditionFailure("The test PKI has a root.") }
        return SignedDataVerifier(anchors: anchors)
    }()

    package init(_ scenario: Scenario) throws {
        self.scenario = scenario
        let expectations = SignedDataExpectations(
            bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
        let now = day("12-31")
        items = try scenario.evidence.map { evidence in
            switch evidence {
            case .receipt(let receipt):
                let bytes = try receipt.signed()
                return .receipt(
                    bytes,
                    try Self.receipts.verify(
                        bytes, expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
                        now: now))
            case .transaction(let transaction):
                let token = try transaction.signed()
                return .transaction(
                    token, try Self.signedData.verifyTransaction(token, expecting: expectations, now: now))
            case .renewal(let renewal):
                let token = try renewal.signed()
                return .renewal(token, try Self.signedData.verifyRenewalInfo(token, expecting: expectations, now: now))
            case .notification(var notification, let transaction, let renewal):
                notification.signedTransactionInfo = try transaction.signed()
                notification.signedRenewalInfo = try renewal?.signed()
                let token = try notification.signed()
                return .notification(
                    token, try Self.signedData.verifyNotification(token, expecting: expectations, now: now))
            }
        }
    }

    /// The items in every order, or only rotated and reversed if there are more than four.
    package var orders: [[Item]] {
        guard items.count > 4 else { return Self.permutations(items) }
        return items.indices.flatMap { index in
            let rotated = Array(items[index...] + items[..<index])
            return [rotated, rotated.reversed()]
        }
    }

    private static func permutations(_ items: [Item]) -> [[Item]] {
        guard items.count > 1 else { return [items] }
        return items.indices.flatMap { index in
            var rest = items
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    /// The first receipt of the scenario, which is submitted to verifyReceipt.
    package var submitted: [UInt8]? {
        for case .receipt(let bytes, _) in items { return bytes }
        return nil
    }
}

extension Scenario.Expected {
    package init(_ entitlement: Entitlement) { self.init(state: entitlement.state, until: entitlement.until) }
}

extension [Entitlement] {
    /// The entitlements by product, or by transaction for consumables and non-renewing subscriptions, with the
    /// environment unless it is the sandbox.
    package var byName: [String: Scenario.Expected] {
        Dictionary(
            map { entitlement in
                let isSingle = entitlement.kind == .consumable || entitlement.kind == .nonRenewing
                let name = isSingle ? entitlement.transactionIdentifier ?? "" : entitlement.productIdentifier
                let environment = entitlement.environment == .sandbox ? "" : "\(entitlement.environment.rawValue)/"
                return (environment + name, Scenario.Expected(entitlement))
            }, uniquingKeysWith: { first, _ in first })
    }
}
