import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import VerifyReceipt

@Suite("Signed transactions as receipt-data")
struct SignedTransactionsTests {
    static let pro = TestTransaction("com.example.pro", transaction: "11")
    static let period = TestTransaction(
        "com.example.plus", transaction: "21", original: "20", at: ReceiptFixtures.start(1),
        until: ReceiptFixtures.start(2)
    ).with { $0.signedDate = instant("2024-07-20T00:00:00Z") }
    private static let app = TestAppTransaction().with { $0.appAppleIdentifier = 1_234_567_890 }

    static let impostor = TestPKI.impostor.with { $0.signer.key = .foreignSigner }

    static func responder(
        _ environments: VerifyReceiptResponder.Environments = .both, secret: SharedSecret? = nil,
        bundleIdentifiers: AcceptedValues<String> = .anyBundle
    ) throws -> VerifyReceiptResponder {
        VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: environments,
            sharedSecret: secret, bundleIdentifiers: bundleIdentifiers,
            signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors))
    }

    static func body(_ receiptData: AppStoreJSON) -> [UInt8] {
        AppStoreJSON.object(["receipt-data": receiptData]).text()
    }

    static func response(
        to receiptData: AppStoreJSON, by responder: VerifyReceiptResponder? = nil
    ) throws -> VerifyReceiptResponse {
        try (responder ?? Self.responder()).response(to: body(receiptData), now: requestDate)
    }

    // MARK: The response

    @Test("A transaction is answered as the receipt that contains it, with the token as latest_receipt")
    func transaction() throws {
        let token = try Self.period.signed()
        let response = try Self.response(to: .string(token))
        #expect(response.status == .valid)
        #expect(response.hint == nil)
        let json = response.json
        #expect(
            json.names == [
                "status", "environment", "receipt", "latest_receipt_info", "latest_receipt",
            ])
        #expect(json["environment"] == "Sandbox")
        #expect(json["receipt"]?["receipt_type"] == "ProductionSandbox")
        #expect(json["receipt"]?["bundle_id"] == "com.example.app")
        #expect(json["receipt"]?["receipt_creation_date"] == "2024-07-20 00:00:00 Etc/GMT")
        #expect(json["receipt"]?["request_date_ms"] == "1719964800250")
        #expect(json["latest_receipt"]?.string == token)
        #expect(json["latest_receipt_info"]?.array?.count == 1)
        guard case .signedTransactions(let transactions) = response.receipt else {
            Issue.record("The receipt is \(String(describing: response.receipt)).")
            return
        }
        #expect(transactions.transactions.map(\.token) == [token])
    }

    @Test("The elements have the values that those of a receipt with the same purchase have")
    func sameElements() throws {
        let purchase = ReceiptFixtures.period(21, of: 20).with {
            $0.purchaseDate = Self.period.purchaseDate
            $0.originalPurchaseDate = Self.period.purchaseDate
            $0.expirationDate = Self.period.expirationDate
        }
        let receipt = try Self.responder().response(to: ReceiptFixtures.receipt([purchase]))
        let response = try Self.response(to: .string(try Self.period.signed()))
        for name in ["latest_receipt_info", "in_app"] {
            func element(_ response: VerifyReceiptResponse) -> AppStoreJSON? {
                (response.json[name] ?? response.json["receipt"]?[name])?[0]
            }
            let (expected, actual) = (try #require(element(receipt)), try #require(element(response)))
            for member in actual.object?.members ?? [] where expected[member.name] != nil {
                #expect(expected[member.name] == member.value, "\(member.name)")
            }
            for member in ["product_id", "transaction_id", "original_transaction_id", "expires_date_ms", "quantity"] {
                #expect(actual[member] == expected[member], "\(member)")
            }
        }
    }

    @Test("An array and an app transaction beside transactions are one receipt, whose latest_receipt is the newest one")
    func several() throws {
        let tokens = try [Self.pro.signed(), Self.app.signed(), Self.period.signed()]
        let json = try Self.response(to: .array(tokens.map { .string($0) })).json
        let receipt = try #require(json["receipt"])
        #expect(receipt["adam_id"] == 1_234_567_890)
        #expect(receipt["application_version"] == "1")
        #expect(receipt["original_application_version"] == "1.0")
        #expect(receipt["original_purchase_date_ms"] == "1375340400000")
        #expect(receipt["in_app"]?.array?.map { $0["transaction_id"]?.string } == ["11", "21"])
        #expect(json["latest_receipt"]?.string == tokens[2])
        #expect(Set(json["latest_receipt_info"]?.array?.map { $0["transaction_id"]?.string } ?? []) == ["11", "21"])
    }

    @Test("An app transaction alone is a receipt without purchases")
    func appTransactionAlone() throws {
        let json = try Self.response(to: .string(try Self.app.signed())).json
        #expect(json.names == ["status", "environment", "receipt"])
        #expect(json["receipt"]?["in_app"] == [])
    }

    @Test("A known refund, renewal and renewal information are in the response")
    func history() async throws {
        let refund = try Self.period.with {
            $0.signedDate = instant("2024-08-01T00:00:00Z")
            $0.revocationDate = instant("2024-07-25T00:00:00Z")
        }.verified()
        let renewal = try TestRenewalInfo("com.example.plus", original: "20").verified()
        let history = StubHistory(history: CustomerEvidence(transactions: [refund], renewals: [renewal]))
        let json = try await Self.responder().response(
            to: Self.body(.string(try Self.period.signed())), evidence: history, now: requestDate
        ).json
        #expect(json["receipt"]?["in_app"]?[0]?["cancellation_date"] == "2024-07-25 00:00:00 Etc/GMT")
        #expect(json["latest_receipt_info"]?[0]?["cancellation_date"] == "2024-07-25 00:00:00 Etc/GMT")
        #expect(json["pending_renewal_info"]?[0]?["original_transaction_id"] == "20")
    }

    @Test("exclude-old-transactions leaves the newest transaction of each subscription")
    func withoutOldTransactions() throws {
        let tokens = try [1, 2].map { try ReceiptFixtures.transaction($0).signed() }
        let body = AppStoreJSON.object([
            "receipt-data": .array(tokens.map { .string($0) }), "exclude-old-transactions": true,
        ]).text()
        let json = try Self.responder().response(to: body, now: requestDate).json
        #expect(json["latest_receipt_info"]?.array?.map { $0["transaction_id"]?.string } == ["2"])
        #expect(json["receipt"]?["in_app"]?.array?.count == 2)
    }

    // MARK: Rejections

    @Test("The environment of the tokens redirects as that of a receipt")
    func environments() throws {
        let production = try Self.pro.with { $0.environment = .production }.signed()
        let sandbox = try Self.pro.signed()
        for (token, environments, status) in [
            (production, VerifyReceiptResponder.Environments.production, 0), (production, .sandbox, 21008),
            (production, .both, 0), (sandbox, .production, 21007), (sandbox, .sandbox, 0), (sandbox, .both, 0),
        ] {
            let response = try Self.response(to: .string(token), by: Self.responder(environments))
            #expect(response.status.rawValue == status, "\(environments)")
        }
    }

    @Test("The secret and the apps of a responder apply to tokens")
    func secretAndApps() throws {
        let token = try Self.pro.signed()
        let secret = try Self.response(to: .string(token), by: Self.responder(secret: SharedSecret("s")))
        #expect(secret.status == .sharedSecretMismatch)
        let other = try Self.response(to: .string(token), by: Self.responder(bundleIdentifiers: ["com.example.other"]))
        #expect(other.failure?.code == .bundleIdentifierMismatch)
        #expect(other.status == .notAuthenticated)
    }

    @Test("A token that Apple didn't sign isn't authenticated")
    func forged() throws {
        let response = try Self.response(to: .string(try Self.pro.signed(by: Self.impostor)))
        #expect(response.status == .notAuthenticated)
        #expect(response.containsOnlyStatus)
        let altered = try Self.pro.signed().split(separator: ".")
        let payload = try Self.period.signed().split(separator: ".")[1]
        let mixed = try Self.response(to: .string("\(altered[0]).\(payload).\(altered[2])"))
        #expect(mixed.failure?.code == .signatureInvalid)
    }

    @Test("Tokens of several apps or environments, and renewal information alone, are malformed")
    func mixed() throws {
        let other = Self.pro.with { $0.bundleIdentifier = "com.example.other" }
        let production = Self.pro.with { $0.environment = .production }
        for second in [other, production] {
            let response = try Self.response(to: .array([.string(Self.pro.signed()), .string(second.signed())]))
            #expect(response.failure?.code == .signedTransactionsMixed)
            #expect(response.status == .receiptMalformed)
        }
        let renewal = try Self.response(to: .string(try TestRenewalInfo("com.example.plus", original: "20").signed()))
        #expect(renewal.failure?.code == .signedTransactionMissing)
        let notification = try Self.response(to: .string(try TestNotification().signed()))
        #expect(notification.failure?.code == .tokenKindMismatch)
    }

    @Test("StoreKit 2's JSON without a signature is malformed, with a hint that names jwsRepresentation")
    func unsigned() throws {
        let json = AppStoreJSON.object(Self.pro.members).text()
        let (text, base64) = (String(decoding: json, as: UTF8.self), Data(json).base64EncodedString())
        for receiptData in [AppStoreJSON.string(text), .string(base64), .object(Self.pro.members)] {
            for responder in [try Self.responder(), try VerifyReceiptResponder.standard()] {
                let response = try Self.response(to: receiptData, by: responder)
                #expect(response.status == .receiptMalformed)
                if responder.signedData != nil { #expect(response.failure?.code == .tokenUnsigned) }
                #expect(response.hint?.hasPrefix("StoreKit 2's JSON has no signature") == true)
                #expect(response.hint?.contains("jwsRepresentation") == true)
                #expect(response.containsOnlyStatus)
            }
        }
    }

    @Test("A responder without a verifier of signed data answers as Apple's endpoint")
    func notAccepted() throws {
        let strict = try VerifyReceiptResponder.standard()
        let token = try Self.pro.signed()
        let response = try Self.response(to: .string(token), by: strict)
        #expect(response.status == .receiptMalformed)
        #expect(response.failure?.code == .inputSignedData)
        #expect(response.hint != nil)
        let array = try Self.response(to: [.string(token)], by: strict)
        #expect(array.failure?.code == .receiptDataMistyped)
        let missing = strict.response(to: AppStoreJSON.object(["token": .string(token)]).text())
        #expect(missing.failure?.code == .receiptDataMissing)
        let wrapped = try Self.response(
            to: .string("{\"Payload\":\"\(Data(try ReceiptFixtures.receipt([]).signed()).base64EncodedString())\"}"),
            by: strict)
        #expect(wrapped.failure?.code == .inputJSON)
    }

    @Test("An empty string is malformed, with a hint: Flutter's StoreKit 2 sent it", arguments: [true, false])
    func empty(_ acceptsTokens: Bool) throws {
        let responder = try acceptsTokens ? Self.responder() : .standard()
        let response = try Self.response(to: "", by: responder)
        #expect(response.failure?.code == .inputEmpty)
        #expect(response.hint?.contains("jwsRepresentation") == true)
        let nothing = responder.response(to: Array("{}".utf8))
        #expect(nothing.failure?.code == .receiptDataMissing)
        #expect(nothing.status == .receiptMalformed)
    }

    // MARK: Wrappers

    /// A request that a client sends.
    struct Client: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Returns the request with a receipt and a token.
        let body: @Sendable (_ receipt: String, _ token: String) -> AppStoreJSON
        /// Whether the receipt is answered. Otherwise, the token is.
        var usesReceipt = false
        /// What the hint names.
        var hint: String?
    }

    private static func text(_ json: AppStoreJSON) -> String { String(decoding: json.text(), as: UTF8.self) }

    static let clients = [
        Client(testDescription: "Flutter 0.4.2, purchaseToken") { ["receipt-data": .string($1)] },
        Client(
            testDescription: "a receipt, as always", body: { receipt, _ in ["receipt-data": .string(receipt)] },
            usesReceipt: true),
        Client(
            testDescription: "Unity IAP 4, the whole receipt",
            body: { receipt, _ in
                [
                    "receipt-data": .string(
                        text(["Store": "AppleAppStore", "TransactionID": "11", "Payload": .string(receipt)]))
                ]
            }, usesReceipt: true, hint: "Payload"),
        Client(
            testDescription: "Unity IAP 5, an object",
            body: { receipt, _ in
                ["receipt-data": ["Payload": .string(receipt), "Store": "AppleAppStore", "TransactionID": "11"]]
            }, usesReceipt: true, hint: "Payload"),
        Client(
            testDescription: "Capacitor, @capgo/native-purchases",
            body: { receipt, token in
                [
                    "receipt": .string(receipt), "jwsRepresentation": .string(token), "transactionId": "11",
                    "platform": "ios", "productId": "com.example.pro", "userId": "user-42",
                ]
            }, usesReceipt: true, hint: "receipt"),
        Client(
            testDescription: "react-native-iap 14",
            body: { _, token in
                [
                    "receipt": .string(token), "platform": "ios", "subscriptionId": "com.example.pro",
                    "token": .string(token),
                ]
            }, hint: "receipt"),
        Client(
            testDescription: "openiap", body: { _, token in ["store": "apple", "jws": .string(token)] }, hint: "jws"),
        Client(
            testDescription: "expo-iap 3",
            body: { _, token in ["receipt-data": ["purchaseToken": .string(token), "productId": "com.example.pro"]] },
            hint: "purchaseToken"),
        Client(
            testDescription: "RevenueCat",
            body: { _, token in
                let fetchToken: AppStoreJSON = [
                    "environment": "sandbox", "bundleId": "com.example.app", "transactions": [.string(token)],
                    "subscriptionStatus": [:],
                ]
                return [
                    "app_user_id": "user-42",
                    "fetch_token": .string(Data(fetchToken.text()).base64EncodedString()),
                    "product_id": "com.example.pro",
                ]
            }, hint: "fetch_token"),
        Client(
            testDescription: "cordova-plugin-purchase",
            body: { _, token in
                [
                    "id": "com.example.app", "type": "application",
                    "transaction": [
                        "type": "apple-sk2", "id": "com.example.pro", "jwsRepresentation": .string(token),
                    ],
                ]
            }, hint: "jwsRepresentation"),
        Client(
            testDescription: "MAUI, an app receipt in URL-safe base64",
            body: { receipt, _ in
                let text = receipt.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
                return ["receipt-data": .string(String(text))]
            }, usesReceipt: true),
        Client(
            testDescription: "a token in quotation marks",
            body: { _, token in ["receipt-data": .string("\"\(token)\"")] }, hint: "quotation marks"),
        Client(
            testDescription: "base64 of a token",
            body: { _, token in ["receipt-data": .string(Data(token.utf8).base64EncodedString())] }, hint: "base64"),
        Client(
            testDescription: "react-native-iap 14.0.0, a receipt as jwsRepresentation",
            body: { receipt, _ in ["jwsRepresentation": .string(receipt)] }, usesReceipt: true,
            hint: "jwsRepresentation"),
        Client(
            testDescription: "Unity IAP, a Payload in quotation marks",
            body: { receipt, _ in ["receipt-data": ["Payload": .string("\"\(receipt)\"")]] }, usesReceipt: true,
            hint: "Payload"),
        Client(
            testDescription: "Flutter, verificationData",
            body: { _, token in
                [
                    "receipt-data": [
                        "localVerificationData": .string(text(.object(pro.members))),
                        "serverVerificationData": .string(token),
                    ]
                ]
            }, hint: "'serverVerificationData'"),
        Client(
            testDescription: "an array as text",
            body: { _, token in ["receipt-data": .string("[\"\(token)\"]")] }),
    ]

    @Test("What clients send is read if it is a receipt or token, and the hint names the wrapper", arguments: clients)
    func wrapper(_ client: Client) throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        let token = try Self.pro.signed()
        let body = client.body(receipt, token)
        let response = try Self.responder().response(to: body.text(), now: requestDate)
        #expect(response.status == .valid)
        let products = response.json["receipt"]?["in_app"]?.array?.compactMap { $0["product_id"]?.string }
        #expect(products?.first == (client.usesReceipt ? "com.example.plus" : "com.example.pro"))
        // A receipt is returned in standard base64, and a token unchanged.
        #expect(response.json["latest_receipt"]?.string == (client.usesReceipt ? receipt : token))
        if let hint = client.hint { #expect(response.hint?.contains(hint) == true, "\(response.hint ?? "none")") }
    }

    @Test("A token beside a receipt adds what is newer, unless it is of another app or isn't genuine")
    func beside() throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        func products(with token: String) throws -> (Set<String>, VerifiedSignedTransactions?) {
            let response = try Self.responder().response(
                to: AppStoreJSON.object(["receipt": .string(receipt), "jwsRepresentation": .string(token)]).text(),
                now: requestDate)
            let latest = response.json["latest_receipt_info"]?.array?.compactMap { $0["product_id"]?.string } ?? []
            return (Set(latest), response.signedTransactions)
        }
        let (both, added) = try products(with: Self.pro.signed())
        #expect(both == ["com.example.plus", "com.example.pro"])
        #expect(added?.transactions.count == 1)
        let other = Self.pro.with { $0.bundleIdentifier = "com.example.other" }
        for token in [try other.signed(), try Self.pro.signed(by: Self.impostor)] {
            let (own, ignored) = try products(with: token)
            #expect(own == ["com.example.plus"])
            #expect(ignored == nil)
        }
    }

    @Test("A responder that reads wrappers rejects every attack on what is in them")
    func rejectsAttacks() throws {
        let responder = try Self.responder(.sandbox, bundleIdentifiers: ["com.example.app"])
        // Forms of input aren't attacks here, and the expiration date isn't checked.
        for attack in Attack.independentOfConfiguration where ![.input, .expiration].contains(attack.check) {
            let bytes = try attack.testCase().encoded()
            let response = responder.response(
                to: Self.body(["Payload": .string(Data(bytes).base64EncodedString())]), now: requestDate)
            #expect(response.status != .valid, "\(attack)")
            #expect(response.containsOnlyStatus, "\(attack)")
        }
    }

    @Test("Every attack on signed data is rejected as receipt-data, in a wrapper, and beside a receipt")
    func rejectsSignedDataAttacks() throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        let targets: Set<SignedDataAttack.Target> = [.header, .chain, .signature]
        let attacks = SignedDataAttack.all.filter { targets.contains($0.target) }
        #expect(attacks.count > 50)
        for attack in attacks {
            let testCase = try attack.testCase()
            let responder = VerifyReceiptResponder(
                verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .both,
                signedData: try testCase.verifier())
            let token = AppStoreJSON.string(try testCase.encoded())
            for body in [["receipt-data": token], ["jws": token]] as [AppStoreJSON] {
                let response = responder.response(to: body.text(), now: requestDate)
                #expect(response.status != .valid, "\(attack)")
                #expect(response.containsOnlyStatus, "\(attack)")
            }
            let beside = responder.response(
                to: AppStoreJSON.object(["receipt-data": .string(receipt), "jws": token]).text(), now: requestDate)
            #expect(beside.status == .valid)
            #expect(beside.signedTransactions == nil, "\(attack)")
        }
    }

    @Test("Renewal information counts only beside a transaction or receipt of its subscription")
    func unprovenRenewals() throws {
        let own = try TestRenewalInfo("com.example.plus", original: "20").signed()
        let other = try TestRenewalInfo("com.example.plus", original: "700009").signed()
        let tokens = try Self.response(to: [.string(Self.period.signed()), .string(own), .string(other)])
        let originals = tokens.json["pending_renewal_info"]?.array?.map { $0["original_transaction_id"] }
        #expect(originals == ["20"])
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        let beside = try Self.response(to: [.string(receipt), .string(other)])
        #expect(beside.status == .valid)
        #expect(beside.json["pending_renewal_info"] == nil)
        #expect(beside.hint?.contains("signed-transaction-missing") == true)
    }

    @Test("A transaction that was signed twice is in in_app once")
    func twice() throws {
        let newer = Self.pro.with { $0.signedDate += 60 }
        let response = try Self.response(to: [.string(Self.pro.signed()), .string(newer.signed())])
        #expect(response.json["receipt"]?["in_app"]?.array?.count == 1)
    }

    @Test("A stored receipt of the purchase of a token beside another receipt counts")
    func storedReceipt() async throws {
        let stored = try ReceiptFixtures.receipt([ReceiptFixtures.period(1), ReceiptFixtures.period(2)]).verified()
        let history = InMemoryTransactionHistory()
        history.add(stored)
        let receipt = Data(
            try ReceiptFixtures.receipt([TestPurchase("com.example.pro", transaction: "77")]).signed()
        ).base64EncodedString()
        let original = try #require(stored.receipt.purchases.first?.originalTransactionIdentifier)
        let token = try TestTransaction(
            "com.example.plus", transaction: "9", original: original, at: ReceiptFixtures.start(3),
            until: ReceiptFixtures.start(4)
        ).signed()
        let response = await (try Self.responder()).response(
            to: Self.body([.string(receipt), .string(token)]), evidence: history, now: requestDate)
        #expect(response.json["latest_receipt_info"]?.array?.count == 4)
    }

    @Test("Two receipts are ambiguous")
    func ambiguous() throws {
        let receipts = try ["1", "2"].map {
            Data(try ReceiptFixtures.receipt([TestPurchase("com.example.pro", transaction: $0)]).signed())
                .base64EncodedString()
        }
        let response = try Self.response(to: .array(receipts.map { .string($0) }))
        #expect(response.failure?.code == .receiptDataAmbiguous)
        #expect(response.status == .receiptMalformed)
    }

    @Test("A token in another member than receipt-data is beside the receipt, or in place of what isn't one")
    func otherMembers() throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        func products(receiptData: AppStoreJSON) throws -> [String] {
            let response = try Self.responder().response(
                to: AppStoreJSON.object(
                    ["receipt-data": receiptData, "jwsRepresentation": .string(try Self.pro.signed())]
                ).text(), now: requestDate)
            return response.json["receipt"]?["in_app"]?.array?.compactMap { $0["product_id"]?.string } ?? []
        }
        #expect(try products(receiptData: .string(receipt)) == ["com.example.plus", "com.example.pro"])
        let absent: [AppStoreJSON] = [
            "", .null, "2000000000000001", .object(Self.pro.members), "undefined", "null", "nil", "[object Object]",
        ]
        for receiptData in absent {
            #expect(try products(receiptData: receiptData) == ["com.example.pro"], "\(receiptData)")
        }
    }

    @Test("receipt-data decides: a receipt or token in it isn't replaced, not even a damaged one")
    func receiptInOtherMember() throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        let second = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(2)]).signed()).base64EncodedString()
        let token = try Self.pro.signed()
        func response(_ members: AppStoreJSON) throws -> VerifyReceiptResponse {
            try Self.responder().response(to: members.text(), now: requestDate)
        }
        func products(_ response: VerifyReceiptResponse) -> [String?]? {
            response.json["receipt"]?["in_app"]?.array?.map { $0["product_id"]?.string }
        }
        let both = try response(["receipt-data": .string(token), "receipt": .string(receipt)])
        #expect(products(both) == ["com.example.pro"])
        #expect(both.hint == "A receipt isn't used: send it as 'receipt-data'.")
        let cutOff = try response(["receipt-data": .string(String(token.dropLast(50))), "receipt": .string(receipt)])
        #expect(cutOff.failure?.code == .tokenTruncated)
        let forged = try response(
            ["receipt-data": .string(Self.pro.signed(by: Self.impostor)), "receipt": .string(receipt)])
        #expect(forged.failure?.code == .rootNotTrusted)
        let damaged = receipt.map { $0 == "+" ? " " : "\($0)" }.joined()
        let rejected = try response(["receipt-data": .string(damaged), "jws": .string(token)])
        #expect(rejected.failure?.code == .inputBase64Malformed)
        let several = try response(
            ["receipt-data": .string(receipt), "latest_receipt": .string(second), "jws": .string(token)])
        #expect(products(several) == ["com.example.plus", "com.example.pro"])
        #expect(several.hint?.contains("Another receipt isn't used") == true)
        let many = (0...1_000).map { AppStoreJSON.string("\(token)\($0)") }
        let tooMany = try response(["receipt-data": .string(receipt), "transactions": .array(many)])
        #expect(tooMany.failure?.code == .requestTooLarge)
        #expect(tooMany.hint != nil)
    }

    @Test("A token that isn't used beside a receipt is named in the hint, with the reason")
    func unused() throws {
        let receipt = Data(try ReceiptFixtures.receipt([ReceiptFixtures.period(1)]).signed()).base64EncodedString()
        let other = Self.pro.with { $0.bundleIdentifier = "com.example.other" }
        for (token, code) in [
            (try other.signed(), "signed-transactions-mixed"),
            (try Self.pro.signed(by: Self.impostor), "root-not-trusted"),
        ] {
            let response = try Self.responder().response(
                to: AppStoreJSON.object(["receipt-data": .string(receipt), "token": .string(token)]).text(),
                now: requestDate)
            #expect(response.status == .valid)
            #expect(response.hint?.contains(code) == true, "\(response.hint ?? "none")")
        }
    }

    @Test("The hint names only members that plugins use")
    func names() throws {
        let token = try Self.pro.signed()
        let response = try Self.responder().response(
            to: AppStoreJSON.object(["ann@example.com": ["jws": .string(token)]]).text(), now: requestDate)
        #expect(response.status == .valid)
        #expect(response.hint == "There is a signed transaction in '*.jws'. Send it as 'receipt-data'.")
    }

    @Test("A responder that accepts no tokens says where the receipt or token is, and what to do")
    func hintsOfStrictResponder() throws {
        let (strict, token) = (try VerifyReceiptResponder.standard(), try Self.pro.signed())
        let receipt = Data(try ReceiptFixtures.receipt([]).signed()).base64EncodedString()
        for (request, start) in [
            (
                ["receipt-data": .string(token)],
                "'receipt-data' seems to be a signed transaction, which isn't accepted here."
            ),
            (["receipt": .string(receipt)], "There seems to be a receipt in 'receipt', which isn't accepted here."),
        ] as [(AppStoreJSON, String)] {
            let response = strict.response(to: request.text(), now: requestDate)
            let hint = try #require(response.hint)
            #expect(hint.hasPrefix(start), "\(hint)")
            #expect(response.isAboutSetting)
        }
        let number = try Self.response(to: "2000000000000001")
        #expect(!number.isAboutSetting)
        #expect(number.failure?.code == .signedTransactionMissing)
        #expect(number.hint?.contains("jwsRepresentation") == true)
    }
}
