import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("Endpoints")
struct EndpointTests {
    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    /// The single request that a call sends: method, address and body.
    @available(AppStoreServerAPI 1.0, *)
    private func sent(
        _ response: AppStoreServerHTTPResponse, _ body: (AppStoreServerClient) async throws -> Void
    ) async throws -> [String] {
        let transport = ScriptedTransport(response)
        try await body(try makeClient(transport))
        #expect(transport.requests.count == 1)
        let request = try #require(transport.requests.first)
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["User-Agent"] == "AppReceiptKit")
        #expect((request.headers["Content-Type"] == "application/json") == (request.body != nil))
        return transport.log + (request.body.map { [String(decoding: $0, as: UTF8.self)] } ?? [])
    }

    private func requests(_ log: [String], are expected: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(log == expected, sourceLocation: sourceLocation)
    }

    @available(AppStoreServerAPI 1.0, *)
    private var accepted: AppStoreServerHTTPResponse { AppStoreServerHTTPResponse(status: 202) }

    @Test("Transactions, app transactions and orders are requested as documented")
    @available(AppStoreServerAPI 1.0, *)
    func transactions() async throws {
        requests(
            try await sent(try transactionResponse("7")) { _ = try await $0.transaction("7") },
            are: [
                "GET production/inApps/v1/transactions/7"
            ])
        let app = try TestAppTransaction().with {
            $0.environment = .production
            $0.appAppleIdentifier = 1_234_567_890
        }.signed()
        requests(
            try await sent(.json(["signedAppTransactionInfo": .string(app)])) { client in
                let transaction = try await client.appTransaction(ofCustomer: "704000000000000001")
                #expect(transaction.claims.bundleIdentifier == "com.example.app")
            }, are: ["GET production/inApps/v1/transactions/appTransactions/704000000000000001"])
        requests(
            try await sent(.json(["status": 1, "signedTransactions": []])) { client in
                let order = try await client.order("MQ&1")
                #expect(order.unverified.status == .invalid)
                #expect(order.transactions.isEmpty)
            }, are: ["GET production/inApps/v1/lookup/MQ%261"])
    }

    @Test("Finishing a transaction and setting the account token are requested as documented")
    @available(AppStoreServerAPI 1.0, *)
    func changes() async throws {
        requests(
            try await sent(accepted) { client in
                let environment = try await client.finishTransaction("7")
                #expect(environment == .production)
            },
            are: [
                "POST production/inApps/v1/transactions/7/finish"
            ])
        requests(
            try await sent(accepted) { try await $0.setAppAccountToken(Self.uuid, ofOriginalTransaction: "7") },
            are: [
                "PUT production/inApps/v1/transactions/7/appAccountToken",
                #"{"appAccountToken":"01020304-0506-0708-090a-0b0c0d0e0f10"}"#,
            ])
    }

    @Test("Every filter of a history is a parameter, with dates in whole milliseconds")
    @available(AppStoreServerAPI 1.0, *)
    func history() async throws {
        var query = AppStoreServerClient.HistoryQuery()
        query.startDate = Date(timeIntervalSince1970: 1_698_148_800.123)
        query.endDate = Date(timeIntervalSince1970: 1_698_148_900)
        query.productIdentifiers = ["com.example.a", "com.example.b&c"]
        query.productTypes = [.autoRenewable]
        query.order = .descending
        query.subscriptionGroupIdentifiers = ["g1"]
        query.ownership = .familyShared
        query.isRevoked = false
        let filters = [
            "startDate=1698148800123", "endDate=1698148900000", "productId=com.example.a",
            "productId=com.example.b%26c", "productType=AUTO_RENEWABLE", "sort=DESCENDING",
            "subscriptionGroupIdentifier=g1", "inAppOwnershipType=FAMILY_SHARED", "revoked=false",
        ].joined(separator: "&")
        let response = AppStoreServerHTTPResponse.json(["hasMore": false])
        requests(
            try await sent(response) { _ = try await $0.history(ofCustomer: "7", query: query).all() },
            are: [
                "GET production/inApps/v2/history/7?\(filters)"
            ])
    }

    @Test("Subscription statuses are filtered with a repeated parameter")
    @available(AppStoreServerAPI 1.0, *)
    func statuses() async throws {
        requests(
            try await sent(.json(["data": []])) { client in
                let statuses = try await client.subscriptionStatuses(ofCustomer: "7", statuses: [.expired, .active])
                #expect(statuses.subscriptions.isEmpty)
            }, are: ["GET production/inApps/v1/subscriptions/7?status=2&status=1"])
    }

    @Test("Consumption information has Apple's members")
    @available(AppStoreServerAPI 1.0, *)
    func consumption() async throws {
        let information = AppStoreServerClient.ConsumptionInformation(
            customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: false,
            consumptionPercentage: 50_000, refundPreference: .grantProrated)
        requests(
            try await sent(accepted) { client in
                let environment = try await client.sendConsumptionInformation(information, ofTransaction: "7")
                #expect(environment == .production)
            },
            are: [
                "PUT production/inApps/v2/transactions/consumption/7",
                #"{"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,"consumptionPercentage":50000,"refundPreference":"GRANT_PRORATED"}"#,
            ])
    }

    @Test("Consumption information that Apple would refuse isn't sent")
    @available(AppStoreServerAPI 1.0, *)
    func refusedConsumption() async throws {
        typealias Change = (inout AppStoreServerClient.ConsumptionInformation) -> Void
        let changes: [Change] = [
            { $0.customerConsented = false }, { $0.consumptionPercentage = -1 },
            { $0.consumptionPercentage = 100_001 }, { $0.deliveryStatus = .undeliveredOther },
            {
                $0.refundPreference = .grantProrated
                $0.consumptionPercentage = 100_000
            },
        ]
        let transport = ScriptedTransport(accepted)
        let client = try makeClient(transport)
        for change in changes {
            var information = AppStoreServerClient.ConsumptionInformation(
                customerConsented: true, deliveryStatus: .delivered, sampleContentProvided: true,
                consumptionPercentage: 1)
            change(&information)
            let error = await failure { try await client.sendConsumptionInformation(information, ofTransaction: "7") }
            #expect(error?.code == .requestInvalid)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("Extensions are requested as documented, and their answers aren't verified values")
    @available(AppStoreServerAPI 1.0, *)
    func extensions() async throws {
        let request = AppStoreServerClient.RenewalExtensionRequest(
            days: 30, reason: .customerSatisfaction, requestIdentifier: "R1")
        let body = #"{"extendByDays":30,"extendReasonCode":1,"requestIdentifier":"R1""#
        let extended = AppStoreServerHTTPResponse.json([
            "originalTransactionId": "7", "webOrderLineItemId": "70", "success": true,
            "effectiveDate": 1_735_689_600_000,
        ])
        requests(
            try await sent(extended) { client in
                let answer = try await client.extendSubscription("7", by: request)
                #expect(
                    answer.unverified
                        == AppStoreServerClient.RenewalExtension(
                            originalTransactionIdentifier: "7", webOrderLineItemIdentifier: "70", isSuccessful: true,
                            effectiveDate: now))
            }, are: ["PUT production/inApps/v1/subscriptions/extend/7", body + "}"])
        requests(
            try await sent(.json(["requestIdentifier": "R1"])) { client in
                let identifier = try await client.extendAllSubscriptions(
                    ofProduct: "com.example.monthly", by: request, storefronts: ["USA"], in: .sandbox)
                #expect(identifier == "R1")
            },
            are: [
                "POST sandbox/inApps/v1/subscriptions/extend/mass",
                body + #","productId":"com.example.monthly","storefrontCountryCodes":["USA"]}"#,
            ])
        let status: AppStoreJSON = ["requestIdentifier": "r1", "complete": true, "succeededCount": 2, "failedCount": 1]
        requests(
            try await sent(.json(status)) { client in
                let answer = try await client.extensionStatus(
                    ofProduct: "com.example.monthly", requestIdentifier: "R1", in: .production)
                #expect(answer.unverified.isComplete)
                #expect(answer.unverified.succeededCount == 2)
                #expect(answer.unverified.failedCount == 1)
            }, are: ["GET production/inApps/v1/subscriptions/extend/mass/com.example.monthly/R1"])
    }

    @Test("Extensions that Apple would refuse aren't sent")
    @available(AppStoreServerAPI 1.0, *)
    func refusedExtensions() async throws {
        let transport = ScriptedTransport(.json([:]))
        let client = try makeClient(transport)
        let requests = [(0, "R"), (91, "R"), (1, ""), (1, String(repeating: "R", count: 129))].map {
            AppStoreServerClient.RenewalExtensionRequest(days: $0, reason: .other, requestIdentifier: $1)
        }
        for request in requests {
            #expect(await failure { try await client.extendSubscription("7", by: request) }?.code == .requestInvalid)
        }
        let valid = AppStoreServerClient.RenewalExtensionRequest(days: 1, reason: .other, requestIdentifier: "R")
        let withoutStorefront = await failure {
            try await client.extendAllSubscriptions(ofProduct: "a", by: valid, storefronts: [], in: .production)
        }
        #expect(withoutStorefront?.code == .requestInvalid)
        #expect(transport.requests.isEmpty)
    }

    @Test("Test notifications are requested as documented, in the environment that the caller names")
    @available(AppStoreServerAPI 1.0, *)
    func testNotifications() async throws {
        requests(
            try await sent(.json(["testNotificationToken": "ce3af791-365e-4c60-841b-1674b43c1609_1656701"])) { client in
                _ = try await client.requestTestNotification(in: .sandbox)
            }, are: ["POST sandbox/inApps/v1/notifications/test"])
        let payload = AppStoreJSON.string(try TestNotification().signed())
        requests(
            try await sent(.json(["signedPayload": payload, "sendAttempts": [["sendAttemptResult": "SUCCESS"]]])) {
                client in
                let status = try await client.testNotificationStatus("t_1", in: .sandbox)
                #expect(status.unverified.sendAttempts.map(\.result) == [.success])
            }, are: ["GET sandbox/inApps/v1/notifications/test/t_1"])
    }

    @Test("Groups and seats are requested as documented, in the sandbox")
    @available(AppStoreServerAPI 1.0, *)
    func groups() async throws {
        let groups: AppStoreJSON = [
            "groups": [
                [
                    "groupId": "900000000000000000", "groupType": "ORGANIZATION",
                    "roles": [["productId": "com.example.team", "role": "ADMIN"]],
                ]
            ]
        ]
        requests(
            try await sent(.json(groups)) { client in
                let group = try #require(try await client.groups(ofCustomer: "7").unverified.first)
                #expect(group.identifier == "900000000000000000")
                #expect(group.kind == .organization)
                #expect(
                    group.roles == [
                        AppStoreServerClient.CustomerGroup.Role(productIdentifier: "com.example.team", role: "ADMIN")
                    ])
            }, are: ["GET sandbox/groups/v1/currentGroups/7"])
        requests(
            try await sent(.json(["members": [["appTransactionId": "70"]], "hasMore": false])) { client in
                let pages = try await client.members(ofGroup: "9", limit: 5).all()
                #expect(pages.flatMap(\.unverified.appTransactionIdentifiers) == ["70"])
            }, are: ["GET sandbox/groups/v1/group/9?limit=5"])
        let seats: AppStoreJSON = [
            "totalSeatCount": 5, "availableSeatCount": 4,
            "assignedSeatClaimIds": [.string(Self.uuid.uuidString.lowercased())],
        ]
        requests(
            try await sent(.json(seats)) { client in
                let info = try await client.seats(ofTransaction: "7").unverified
                #expect(
                    info
                        == AppStoreServerClient.SeatInfo(
                            totalCount: 5, availableCount: 4, assignedClaimIdentifiers: [Self.uuid]))
            }, are: ["GET sandbox/groups/v1/transactions/7/seats"])
        requests(
            try await sent(.json(["seatClaimId": .string(Self.uuid.uuidString)])) { client in
                let claim = try await client.claimSeat(
                    ofTransaction: "7", requestIdentifier: Self.uuid, appTransactionIdentifier: "70")
                #expect(claim.unverified == Self.uuid)
            },
            are: [
                "POST sandbox/groups/v1/transactions/7/seats",
                #"{"requestIdentifier":"01020304-0506-0708-090a-0b0c0d0e0f10","appTransactionId":"70"}"#,
            ])
        requests(
            try await sent(accepted) { try await $0.unclaimSeat(Self.uuid, ofTransaction: "7") },
            are: ["DELETE sandbox/groups/v1/transactions/7/seats/01020304-0506-0708-090a-0b0c0d0e0f10"])
        requests(
            try await sent(accepted) { try await $0.associateSeat(Self.uuid, ofTransaction: "7", with: "70") },
            are: [
                "POST sandbox/groups/v1/transactions/7/seats/01020304-0506-0708-090a-0b0c0d0e0f10/associate",
                #"{"appTransactionId":"70"}"#,
            ])
    }

    @Test(
        "Identifiers that can't be part of a path aren't sent",
        arguments: ["", "/", "1/../2", "..", ".", "1\n2", "a b", "1\\2", String(repeating: "1", count: 256)])
    @available(AppStoreServerAPI 1.0, *)
    func identifiers(_ identifier: String) async throws {
        let transport = ScriptedTransport(.json([:]))
        let client = try makeClient(transport)
        let errors = [
            await failure { try await client.transaction(identifier) },
            await failure { try await client.history(ofCustomer: identifier).all() },
            await failure { try await client.refunds(ofCustomer: identifier).all() },
            await failure { try await client.subscriptionStatuses(ofCustomer: identifier) },
            await failure { try await client.testNotificationStatus(identifier, in: .sandbox) },
            await failure { try await client.seats(ofTransaction: identifier) },
            await failure { try await client.purchases(ofCustomer: identifier) },
        ]
        for error in errors {
            #expect(error?.code == .requestInvalid)
            #expect(identifier.count < 3 || error?.message.contains(identifier) == false)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("Everything but unreserved characters is percent-encoded")
    @available(AppStoreServerAPI 1.0, *)
    func encoding() {
        #expect(APIRequest.encoded("aZ09-._~") == "aZ09-._~")
        #expect(APIRequest.encoded("a?b#c%d&e=f+ü") == "a%3Fb%23c%25d%26e%3Df%2B%C3%BC")
    }

    @Test("Xcode has no server")
    @available(AppStoreServerAPI 1.0, *)
    func xcode() async throws {
        let transport = ScriptedTransport(.json([:]))
        let client = try makeClient(transport)
        #expect(await failure { try await client.requestTestNotification(in: .xcode) }?.code == .requestInvalid)
        #expect(await failure { try client.restricted(to: .xcode) }?.code == .configurationInvalid)
        #expect(transport.requests.isEmpty)
    }
}
