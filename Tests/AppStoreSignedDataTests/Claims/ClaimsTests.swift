import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import AppStoreSignedData

@Suite("Claims")
struct ClaimsTests {
    private func transaction(_ json: String) throws -> TransactionClaims {
        let members = try #require(try AppStoreJSON(parsing: Array(json.utf8)[...]).object)
        return try TransactionClaims(members)
    }

    private func renewalInfo(_ json: String) throws -> RenewalInfoClaims {
        try RenewalInfoClaims(try #require(try AppStoreJSON(parsing: Array(json.utf8)[...]).object))
    }

    @Test("The members of a transaction are read with their types")
    func transaction() throws {
        let claims = try transaction(
            """
            {"originalTransactionId":"1","transactionId":"2","webOrderLineItemId":"3","bundleId":"b","productId":"p",
            "subscriptionGroupIdentifier":"g","purchaseDate":1719835200000,"originalPurchaseDate":-62135769600000,
            "expiresDate":1722513600000.5,"quantity":2,"type":"Auto-Renewable Subscription",
            "appAccountToken":"7edea87d-98f0-42d0-9682-49ca81022f73","inAppOwnershipType":"FAMILY_SHARED",
            "signedDate":1697679936056.485,"revocationReason":1,"revocationDate":1719932645000,
            "revocationType":"REFUND_PRORATED","revocationPercentage":50000,"isUpgraded":true,"offerType":4,
            "offerIdentifier":"o","offerDiscountType":"FREE_TRIAL","offerPeriod":"P1Y","environment":"Production",
            "storefront":"USA","storefrontId":"143441","transactionReason":"RENEWAL","currency":"USD",
            "price":9007199254740993,"appTransactionId":"a","previousOriginalTransactionId":"x",
            "billingPlanType":"MONTHLY"}
            """)
        #expect(claims.originalTransactionIdentifier == "1")
        #expect(claims.transactionIdentifier == "2")
        #expect(claims.webOrderLineItemIdentifier == 3)
        #expect(claims.bundleIdentifier == "b")
        #expect(claims.productIdentifier == "p")
        #expect(claims.subscriptionGroupIdentifier == "g")
        #expect(claims.purchaseDate == instant("2024-07-01T12:00:00Z"))
        #expect(claims.originalPurchaseDate == Date(timeIntervalSince1970: -62_135_769_600))
        #expect(claims.expirationDate == instant("2024-08-01T12:00:00.0005Z"))
        #expect(claims.quantity == 2)
        #expect(claims.productType == .autoRenewableSubscription)
        #expect(claims.appAccountToken == UUID(uuidString: "7EDEA87D-98F0-42D0-9682-49CA81022F73"))
        #expect(claims.ownership == .familyShared)
        let signedDate = try #require(claims.signedDate)
        #expect(abs(signedDate.timeIntervalSince1970 - 1_697_679_936.056485) < 1e-6)
        #expect(claims.revocationReason == .issueWithApp)
        #expect(claims.revocationDate == instant("2024-07-02T15:04:05Z"))
        #expect(claims.revocationType == .proratedRefund)
        #expect(claims.revocationPercentage == 50_000)
        #expect(claims.isUpgraded == true)
        #expect(claims.offerType == .winBack)
        #expect(claims.offerIdentifier == "o")
        #expect(claims.offerDiscountType == .freeTrial)
        #expect(claims.offerPeriod == "P1Y")
        #expect(claims.environment == .production)
        #expect(claims.storefront == "USA")
        #expect(claims.storefrontIdentifier == "143441")
        #expect(claims.reason == .renewal)
        #expect(claims.currency == "USD")
        #expect(claims.price == 9_007_199_254_740_993)
        #expect(claims.appTransactionIdentifier == "a")
        #expect(claims.previousOriginalTransactionIdentifier == "x")
        #expect(claims.billingPlanType == .monthly)
    }

    @Test("The commitment of a transaction and the next one are read with their types")
    func commitment() throws {
        let claims = try transaction(
            """
            {"commitmentInfo":{"billingPeriodNumber":3,"totalBillingPeriods":12,"commitmentExpiresDate":1722513600000,
            "commitmentPrice":119880,"new":1}}
            """)
        let commitment = try #require(claims.commitmentInfo)
        #expect(commitment.billingPeriodNumber == 3)
        #expect(commitment.totalBillingPeriods == 12)
        #expect(commitment.expirationDate == instant("2024-08-01T12:00:00Z"))
        #expect(commitment.price == 119_880)
        #expect(commitment.members["new"] == 1)
        let renewal = try renewalInfo(
            """
            {"commitmentInfo":{"commitmentAutoRenewProductId":"q","commitmentAutoRenewStatus":1,
            "commitmentRenewalBillingPlanType":"MONTHLY","commitmentRenewalDate":1722513600000,
            "commitmentRenewalPrice":119880}}
            """)
        let next = try #require(renewal.commitmentInfo)
        #expect(next.autoRenewProductIdentifier == "q")
        #expect(next.autoRenewStatus == .on)
        #expect(next.billingPlanType == .monthly)
        #expect(next.renewalDate == instant("2024-08-01T12:00:00Z"))
        #expect(next.price == 119_880)
        #expect(try transaction("{\"commitmentInfo\":7}").commitmentInfo == nil)
        let unreadable = try transaction("{\"commitmentInfo\":{\"totalBillingPeriods\":\"12\"}}").commitmentInfo
        #expect(unreadable != nil)
        #expect(unreadable?.totalBillingPeriods == nil)
    }

    @Test("Advanced Commerce data is read with its items, refunds and partners")
    func advancedCommerce() throws {
        let claims = try transaction(
            """
            {"advancedCommerceInfo":{"descriptors":{"description":"d","displayName":"n"},"estimatedTax":1,"period":"P1M",
            "requestReferenceId":"r","taxCode":"C","taxExclusivePrice":2,"taxRate":"0.1","consistencyToken":"t","items":[
            {"SKU":"a","description":"da","displayName":"na","price":3,"revocationDate":1719932645000,"refunds":[
            {"refundAmount":4,"refundDate":1719932645000,"refundReason":"LEGAL","refundType":"FULL"}],
            "partners":[{"id":"p","name":"Partner"}]},{"sku":"b"},{"SKU":"c","revocationDate":"soon"}]}}
            """)
        let info = try #require(claims.advancedCommerceInfo)
        #expect(info.description == "d")
        #expect(info.displayName == "n")
        #expect(info.estimatedTax == 1)
        #expect(info.taxExclusivePrice == 2)
        #expect(info.taxCode == "C")
        #expect(info.taxRate == "0.1")
        #expect(info.period == "P1M")
        #expect(info.requestReferenceIdentifier == "r")
        #expect(info.consistencyToken == "t")
        #expect(info.items.map(\.sku) == ["a", "b", "c"])
        #expect(info.items.map(\.isRevoked) == [true, false, true])
        let item = try #require(info.items.first)
        #expect(item.description == "da")
        #expect(item.displayName == "na")
        #expect(item.price == 3)
        #expect(item.revocationDate == instant("2024-07-02T15:04:05Z"))
        #expect(item.refunds.map(\.amount) == [4])
        #expect(item.refunds.first?.date == item.revocationDate)
        #expect(item.refunds.first?.reason == "LEGAL")
        #expect(item.refunds.first?.type == "FULL")
        #expect(item.partners.first?.identifier == "p")
        #expect(item.partners.first?.name == "Partner")
        #expect(info.members["taxRate"] == "0.1")
        #expect(item.members["price"] == 3)
    }

    @Test("The seats of a transaction and of the next period are read with their types")
    func seats() throws {
        let claims = try transaction(
            """
            {"additionalTransactionReason":"SEAT_ADDITION","inAppOwnershipType":"ASSIGNED","revocationType":"ASSIGNMENT_REVOKE",
            "multiSeatInfo":{"invitationManagement":"DEVELOPER","priceTiers":[{"price":990,"quantity":5}],
            "revokedSeatQuantity":2}}
            """)
        #expect(claims.additionalReason == .seatAddition)
        #expect(claims.ownership == .assigned)
        #expect(claims.revocationType == .assignmentRevocation)
        let seats = try #require(claims.multiSeatInfo)
        #expect(seats.invitationManagement == .developer)
        #expect(seats.priceTiers?.map(\.price) == [990])
        #expect(seats.priceTiers?.map(\.quantity) == [5])
        #expect(seats.revokedSeatQuantity == 2)
        let renewal = try renewalInfo(
            "{\"renewalQuantity\":7,\"multiSeatInfo\":{\"renewalPriceTiers\":[{\"price\":1,\"quantity\":7}]}}")
        #expect(renewal.renewalQuantity == 7)
        #expect(renewal.multiSeatInfo?.priceTiers?.map(\.quantity) == [7])
    }

    @Test("The bundle's members are read in each of their spellings", arguments: ["Id", "ID"])
    func bundle(_ suffix: String) throws {
        let names = ["bundleProduct", "bundleTransaction", "bundleOriginalTransaction", "bundleSubscriptionGroup"]
        let members = names.map { "\"\($0)\(suffix)\":\"\($0)\"" }.joined(separator: ",")
        let claims = try transaction("{\(members),\"previousOriginalTransaction\(suffix)\":\"1\"}")
        #expect(claims.bundleProductIdentifier == "bundleProduct")
        #expect(claims.bundleTransactionIdentifier == "bundleTransaction")
        #expect(claims.bundleOriginalTransactionIdentifier == "bundleOriginalTransaction")
        #expect(claims.bundleSubscriptionGroupIdentifier == "bundleSubscriptionGroup")
        #expect(claims.previousOriginalTransactionIdentifier == "1")
        let renewal = try renewalInfo("{\(members),\"willUnbundle\":true}")
        #expect(renewal.bundleProductIdentifier == "bundleProduct")
        #expect(renewal.bundleTransactionIdentifier == "bundleTransaction")
        #expect(renewal.bundleOriginalTransactionIdentifier == "bundleOriginalTransaction")
        #expect(renewal.bundleSubscriptionGroupIdentifier == "bundleSubscriptionGroup")
        #expect(renewal.willUnbundle == true)
        let group = try transaction("{\"bundleSubscriptionGroupIdentifier\":\"g\"}")
        #expect(group.bundleSubscriptionGroupIdentifier == "g")
    }

    @Test("An app transaction's store, refund and request date are read with their types")
    func appTransaction() throws {
        func claims(_ json: String) throws -> AppTransactionClaims {
            try AppTransactionClaims(try #require(try AppStoreJSON(parsing: Array(json.utf8)[...]).object))
        }
        let refunded = try claims(
            "{\"storeType\":\"education\",\"revocationDate\":1719932645000,\"requestDate\":1719835200000}")
        #expect(refunded.storeType == .education)
        #expect(refunded.revocationDate == instant("2024-07-02T15:04:05Z"))
        #expect(refunded.requestDate == instant("2024-07-01T12:00:00Z"))
        #expect(code { try claims("{\"revocationDate\":\"soon\"}") } == .tokenClaimMalformed)
    }

    @Test("Unknown values and members are preserved")
    func unknown() throws {
        let claims = try transaction(
            """
            {"type":"Lease","inAppOwnershipType":"BORROWED","offerType":99,"environment":"Moon","revocationReason":-3,
            "somethingNew":{"a":[1,2]},"price":null}
            """)
        #expect(claims.productType?.rawValue == "Lease")
        #expect(claims.ownership?.rawValue == "BORROWED")
        #expect(claims.offerType?.rawValue == 99)
        #expect(claims.environment?.rawValue == "Moon")
        #expect(claims.environment?.base == nil)
        #expect(claims.revocationReason?.rawValue == -3)
        #expect(claims.members["somethingNew"]?.object?["a"]?.array?.count == 2)
        #expect(claims.price == nil)
    }

    @Test("A member that no decision depends on is nil if it is malformed, and is preserved in the members")
    func lenient() throws {
        let claims = try transaction("{\"price\":\"1\",\"offerPeriod\":7,\"appAccountToken\":\"no\",\"storefront\":[]}")
        #expect(claims.price == nil)
        #expect(claims.offerPeriod == nil)
        #expect(claims.appAccountToken == nil)
        #expect(claims.storefront == nil)
        #expect(claims.members["price"] == "1")
    }

    @Test("A whole number may have a decimal point or an exponent, and other numbers are malformed")
    func numbers() throws {
        #expect(try transaction("{\"quantity\":2.0}").quantity == 2)
        #expect(try transaction("{\"quantity\":1e2}").quantity == 100)
        for quantity in ["2.5", "1e300", "\"2\"", "true"] {
            #expect(code { try transaction("{\"quantity\":\(quantity)}") } == .tokenClaimMalformed)
        }
    }

    @Test("The members of renewal information are read with their types")
    func renewalInfo() throws {
        let json = """
            {"originalTransactionId":"1","productId":"p","autoRenewProductId":"q","autoRenewStatus":0,"expirationIntent":2,
            "isInBillingRetryPeriod":true,"priceIncreaseStatus":1,"gracePeriodExpiresDate":1719835200000,
            "renewalDate":1722513600000,"recentSubscriptionStartDate":1719835200000,"environment":"Sandbox",
            "eligibleWinBackOfferIds":["a","b"],"renewalPrice":10990,"currency":"EUR","signedDate":1719932645000,
            "renewalBillingPlanType":"BILLED_UPFRONT","offerType":2,"offerIdentifier":"o"}
            """
        let claims = try RenewalInfoClaims(try #require(try AppStoreJSON(parsing: Array(json.utf8)[...]).object))
        #expect(claims.originalTransactionIdentifier == "1")
        #expect(claims.productIdentifier == "p")
        #expect(claims.autoRenewProductIdentifier == "q")
        #expect(claims.autoRenewStatus == .off)
        #expect(claims.expirationIntent == .billingError)
        #expect(claims.isInBillingRetryPeriod == true)
        #expect(claims.priceIncreaseStatus == .consented)
        #expect(claims.gracePeriodExpirationDate == instant("2024-07-01T12:00:00Z"))
        #expect(claims.renewalDate == instant("2024-08-01T12:00:00Z"))
        #expect(claims.recentSubscriptionStartDate == instant("2024-07-01T12:00:00Z"))
        #expect(claims.eligibleWinBackOfferIdentifiers == ["a", "b"])
        #expect(claims.renewalPrice == 10990)
        #expect(claims.renewalBillingPlanType == .billedUpFront)
        #expect(claims.offerType == .promotional)
        #expect(claims.bundleIdentifier == nil)
    }

    @Test("A notification names its app in one of four places")
    func notification() throws {
        func claims(_ subject: String) throws -> NotificationClaims {
            let json =
                "{\"notificationType\":\"X\",\"subtype\":\"\",\"notificationUUID\":\"u\",\"signedDate\":1,\(subject)}"
            return try NotificationClaims(try #require(try AppStoreJSON(parsing: Array(json.utf8)[...]).object))
        }
        let app = "\"bundleId\":\"b\",\"appAppleId\":7,\"environment\":\"Sandbox\""
        for subject in ["data", "summary", "appData"] {
            let claims = try claims("\"\(subject)\":{\(app)}")
            #expect(claims.bundleIdentifier == "b")
            #expect(claims.appAppleIdentifier == 7)
            #expect(claims.environment == .sandbox)
            #expect(claims.subtype == nil)
        }
        let token = "\"externalPurchaseToken\":{\"bundleId\":\"b\",\"appAppleId\":7,\"externalPurchaseId\":"
        #expect(try claims(token + "\"SANDBOX_1\"}").environment == .sandbox)
        #expect(try claims(token + "\"1\"}").environment == .production)
        #expect(try claims("\"x\":1").subject == nil)
        let summary = try claims(
            "\"summary\":{\(app),\"succeededCount\":5,\"failedCount\":0,\"storefrontCountryCodes\":[\"USA\"]}")
        guard case .summary(let extended) = summary.subject else { return #expect(Bool(false)) }
        #expect(extended.succeededCount == 5)
        #expect(extended.storefrontCountryCodes == ["USA"])
    }

    @Test("The claims of seats that were given up are read, and their app is the notification's")
    func unclaimedSeats() throws {
        func claims(_ members: String) throws -> NotificationClaims {
            let json = "{\"notificationType\":\"UNCLAIM_SEATS\",\"notificationUUID\":\"u\",\(members)}"
            return try NotificationClaims(try #require(try AppStoreJSON(parsing: Array(json.utf8)[...]).object))
        }
        let seat = "7edea87d-98f0-42d0-9682-49ca81022f73"
        let app = "\"bundleId\":\"b\",\"environment\":\"Sandbox\""
        let alone = try claims("\"unclaimInfo\":{\(app),\"unclaimSeatIds\":[\"\(seat)\"]}")
        #expect(alone.notificationType == .unclaimSeats)
        #expect(alone.subject == nil)
        #expect(alone.unclaimInfo?.seatClaimIdentifiers == [try #require(UUID(uuidString: seat))])
        #expect(alone.bundleIdentifier == "b")
        #expect(alone.environment == .sandbox)
        let beside = try claims("\"unclaimInfo\":{\"unclaimSeatIds\":[\"\(seat)\"]},\"data\":{\(app)}")
        #expect(beside.unclaimInfo?.seatClaimIdentifiers?.count == 1)
        #expect(beside.bundleIdentifier == "b")
        #expect(code { try claims("\"unclaimInfo\":{\"bundleId\":\"c\"},\"data\":{\(app)}") } == .tokenClaimMalformed)
        #expect(
            try claims("\"unclaimInfo\":{\"unclaimSeatIds\":[\"\(seat)\",\"x\"]}").unclaimInfo?.seatClaimIdentifiers
                == nil)
    }

    @Test("A refund request contains the customer's reason")
    func consumptionRequestReason() throws {
        let data = "{\"consumptionRequestReason\":\"LEGAL\"}"
        let json = "{\"notificationType\":\"CONSUMPTION_REQUEST\",\"data\":\(data)}"
        let claims = try NotificationClaims(try #require(try AppStoreJSON(parsing: Array(json.utf8)[...]).object))
        guard case .data(let data) = claims.subject else { return #expect(Bool(false)) }
        #expect(data.consumptionRequestReason == .legal)
    }

    @Test("Both spellings of a migration are recognized")
    func migration() {
        #expect(NotificationType(rawValue: "MIGRATE").isMigration)
        #expect(NotificationType.migration.isMigration)
        #expect(!NotificationType.test.isMigration)
    }

    @Test("The device verification is computed as Apple documents")
    func deviceVerification() throws {
        let nonce = try #require(UUID(uuidString: "7edea87d-98f0-42d0-9682-49ca81022f73"))
        let device = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        let value = DeviceVerification.value(nonce: nonce, device: device)
        #expect(Data(value).base64EncodedString() == "g+m7sXmQr2ODbRO+/r881gTmxw1dFI8Wom8V81sI5jElE1DScjPMoeRTVDId5fF3")
        let token = try TestTransaction("p", transaction: "1").with { $0.device = (device, nonce) }.signed()
        var expected = expectations
        expected.device = [device]
        let verified = try verifier.verifyTransaction(token, expecting: expected, now: now)
        #expect(verified.claims.deviceVerification?.isFor(device) == true)
        #expect(verified.claims.deviceVerification?.isFor(nonce) == false)
    }

    @Test(
        "A malformed device verification is nil if no device is expected, and is rejected otherwise",
        arguments: malformedDevices)
    func malformedDeviceVerification(_ overrides: [String: AppStoreJSON]) throws {
        let nonce = try #require(UUID(uuidString: "7edea87d-98f0-42d0-9682-49ca81022f73"))
        let device = try #require(UUID(uuidString: "00000000-0000-4000-8000-000000000001"))
        let transaction = try TestTransaction("p", transaction: "1").with {
            $0.device = (device, nonce)
            $0.overrides = overrides
        }.signed()
        let renewalInfo = try TestRenewalInfo("p", original: "1").with { $0.overrides = overrides }.signed()
        let appTransaction = try TestAppTransaction().with {
            $0.device = (device, nonce)
            $0.overrides = overrides
        }.signed()
        var expected = expectations
        expected.device = [device]

        func check<Claims>(
            _ token: String, _ deviceVerification: KeyPath<Claims, DeviceVerification?>,
            _ verify: (String, SignedDataExpectations) throws -> VerifiedData<Claims>
        ) throws {
            let claims = try verify(token, expectations).claims
            #expect(claims[keyPath: deviceVerification] == nil)
            for (name, value) in overrides where value != .null { #expect(claims.members[name] == value) }
            #expect(code { try verify(token, expected) } == .tokenClaimMalformed)
            let report = verifier.report(token, expecting: expected, now: now)
            #expect(report.firstFailure?.check == .deviceVerification)
            #expect(report.failure?.check == .deviceVerification)
            #expect(report.isSigned)
            #expect(!report.isValid)
            #expect(verifier.report(token, expecting: expectations, now: now).isValid)
        }
        try check(transaction, \.deviceVerification) { try verifier.verifyTransaction($0, expecting: $1, now: now) }
        try check(renewalInfo, \.deviceVerification) { try verifier.verifyRenewalInfo($0, expecting: $1, now: now) }
        try check(appTransaction, \.deviceVerification) {
            try verifier.verifyAppTransaction($0, expecting: $1, now: now)
        }
    }

    private static let malformedDevices: [[String: AppStoreJSON]] = [
        ["deviceVerification": "?"],
        ["deviceVerification": 7],
        ["deviceVerification": "AAAA", "deviceVerificationNonce": "7edea87d-98f0-42d0-9682-49ca81022f73"],
        ["deviceVerification": .null, "deviceVerificationNonce": "7edea87d-98f0-42d0-9682-49ca81022f73"],
        ["deviceVerificationNonce": "7edea87d"],
        ["deviceVerificationNonce": ["7edea87d-98f0-42d0-9682-49ca81022f73"]],
    ]

    @Test("A null device verification is treated as absent")
    func absentDeviceVerification() throws {
        var made = try TestToken(TestTransaction("p", transaction: "1").members)
        made.payload["deviceVerification"] = .null
        made.payload["deviceVerificationNonce"] = .null
        let token = try made.encoded()
        #expect(
            try verifier.verifyTransaction(token, expecting: expectations, now: now).claims.deviceVerification == nil)
        var expected = expectations
        expected.device = [UUID()]
        #expect(
            code { try verifier.verifyTransaction(token, expecting: expected, now: now) } == .deviceVerificationMissing)
    }
}
