import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI

/// Signs the tokens of one response, or forges them.
@available(AppStoreServerAPI 1.0, *)
struct TokenSigner {
    /// The certificates.
    let pki: TestPKI
    /// The fault of the response, if any.
    let fault: FakeAppStoreServer.Fault?

    /// Signs a payload.
    func token(_ payload: AppStoreJSON.Object) throws -> String {
        // Certificates with the same names and another key.
        let pki = fault == .foreignSigner ? pki.with { $0.useKey(.foreignSigner) } : pki
        var token = try TestToken(changed(payload), signedBy: pki)
        guard fault == .forgedSignature else { return try token.encoded() }
        let genuine = try token.encoded().split(separator: ".").last.map { Array($0.utf8) } ?? []
        var signature = (try? Base64URL.decode(genuine[...])) ?? []
        signature = signature.enumerated().map { $0.offset == 40 ? $0.element ^ 1 : $0.element }
        token.signature = .bytes(signature)
        return try token.encoded()
    }

    private func changed(_ payload: AppStoreJSON.Object) -> AppStoreJSON.Object {
        var changed = payload
        switch fault {
        case .otherApp(let bundle): changed = payload.replacing(["bundleId": .string(bundle)])
        case .otherEnvironment:
            let name =
                payload.string("environment") ?? payload.string("receiptType") ?? payload.data.string("environment")
            let other: FakeAppStoreServer.Environment = name == "Sandbox" ? .production : .sandbox
            changed = payload.replacing([
                "environment": .string(other.rawValue), "receiptType": .string(other.rawValue),
            ])
        case .otherTransaction:
            changed = payload.replacing([
                "transactionId": Self.otherIdentifier, "originalTransactionId": Self.otherIdentifier,
                "appTransactionId": Self.otherIdentifier,
            ])
        case .unknownMembers: changed = Self.extended(payload)
        case .unknownValues: changed = payload.replacing(Self.unknownClaims)
        default: return payload
        }
        // The claims of a notification are in the member data.
        if let data = changed["data"]?.object { changed["data"] = .object(self.changed(data)) }
        return changed
    }

    /// Returns the object with a member that no version of the API has.
    static func extended(_ object: AppStoreJSON.Object) -> AppStoreJSON.Object {
        var extended = object
        extended["futureMember"] = ["futureList": [1, "two", .null]]
        return extended
    }

    private static let otherIdentifier: AppStoreJSON = "999999999999999"

    private static let unknownClaims: [String: AppStoreJSON] = [
        "inAppOwnershipType": "FUTURE_VALUE", "transactionReason": "FUTURE_VALUE", "type": "Future Type",
        "offerType": 99, "offerDiscountType": "FUTURE_VALUE", "revocationReason": 99, "autoRenewStatus": 99,
        "expirationIntent": 99, "priceIncreaseStatus": 99, "notificationType": "FUTURE_VALUE",
        "subtype": "FUTURE_VALUE", "originalPlatform": "FUTURE_VALUE",
    ]
}

extension AppStoreJSON.Object {
    fileprivate var data: AppStoreJSON.Object { self["data"]?.object ?? [:] }
}
