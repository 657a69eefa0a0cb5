#if Server
import AppReceiptKit
import AppReceiptSupport
import Foundation
import StoreTestSupport
import TestSupport

@testable import AppReceiptStore

extension StoredEvidenceVerifier {
    /// A verifier of what is stored, without a database.
    static func trusting(_ trust: StoreTrust = .tests) -> StoredEvidenceVerifier {
        StoredEvidenceVerifier(receipts: trust.receipts, signedData: trust.signedData, maxCachedBytes: 1 << 20)
    }
}

extension ScopedOriginal {
    /// A purchase of the app com.example.app, by default in the sandbox.
    static func test(
        _ identifier: String = "1", _ environment: AppStoreEnvironment = .sandbox
    ) throws -> ScopedOriginal {
        guard let scope = AppScope(app: "com.example.app", environment) else { throw StoreError.failed }
        return ScopedOriginal(scope: scope, originalTransactionIdentifier: identifier)
    }
}

extension ReportedEntitlement {
    /// An entitlement to a subscription.
    static func test(_ state: String, _ members: AppStoreJSON.Object = [:]) -> ReportedEntitlement {
        var json: AppStoreJSON.Object = [
            "productIdentifier": "com.example.plus", "kind": "subscription", "state": .string(state),
            "isActive": .boolean(["active", "gracePeriod", "owned"].contains(state)), "quantity": 1,
        ]
        for member in members.members { json[member.name] = member.value }
        return ReportedEntitlement(stored: .object(json))
    }
}

extension Account {
    /// An account that is stored by its name.
    static func test(_ name: String) -> Account { Account(stored: name, hash: "hash of \(name)") }
}
#endif
