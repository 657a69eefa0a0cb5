import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Groups and seats, with the fake App Store server")
struct GroupTests {
    @available(AppStoreServerAPI 1.0, *)
    private func fake() throws -> (FakeAppStoreServer, AppStoreServerClient) {
        let store = FakeAppStoreServer(bundleIdentifier: "com.example.app", now: { now })
        store.add(
            TestTransaction("com.example.team", transaction: "1", at: now - 60, until: now + 60).with {
                $0.quantity = 2
            },
            TestAppTransaction().with { $0.overrides["appTransactionId"] = "70" })
        return (store, try makeClient(of: store))
    }

    @Test("A customer's groups have their kind and roles, and the sandbox's placeholder if none is a consumer group")
    @available(AppStoreServerAPI 1.0, *)
    func groups() async throws {
        let (store, client) = try fake()
        #expect(
            try await client.groups(ofCustomer: "1").unverified.map(\.identifier) == ["900000000000000000"])
        store.addGroup("5", members: ["70", "71"], roles: ["com.example.team": "ADMIN"])
        let group = try #require(try await client.groups(ofCustomer: "70").unverified.first)
        #expect(group.identifier == "5")
        #expect(group.kind == .consumer)
        #expect(group.roles.map(\.role) == ["ADMIN"])
        #expect(group.roles.map(\.productIdentifier) == ["com.example.team"])
        #expect(await failure { try await client.groups(ofCustomer: "9") }?.code == .transactionIdentifierNotFound)
    }

    @Test("The members of a group have pages of the requested size")
    @available(AppStoreServerAPI 1.0, *)
    func members() async throws {
        let (store, client) = try fake()
        let members = (0..<45).map { "\(100 + $0)" }
        store.addGroup("5", members: members)
        for (limit, counts) in [(nil, [20, 20, 5]), (15, [15, 15, 15])] {
            let pages = try await client.members(ofGroup: "5", limit: limit).all().map(\.unverified)
            #expect(pages.map(\.appTransactionIdentifiers.count) == counts)
            #expect(pages.flatMap(\.appTransactionIdentifiers) == members)
        }
        for (group, limit, code) in [("x", nil, 4_000_225), ("6", nil, 4_040_022), ("5", 21, 4_000_000)]
            as [(String, Int?, Int64)]
        {
            let error = await failure { try await client.members(ofGroup: group, limit: limit).all() }
            #expect(error?.appleErrorCode == code)
        }
    }

    @Test("A seat is claimed once for each request identifier, until none is available")
    @available(AppStoreServerAPI 1.0, *)
    func seats() async throws {
        let (_, client) = try fake()
        let requests = [UUID(), UUID(), UUID()]
        let first = try await client.claimSeat(ofTransaction: "1", requestIdentifier: requests[0]).unverified
        let again = try await client.claimSeat(ofTransaction: "1", requestIdentifier: requests[0]).unverified
        #expect(first == again)
        try await client.associateSeat(first, ofTransaction: "1", with: "71")
        let second = try await client.claimSeat(
            ofTransaction: "1", requestIdentifier: requests[1], appTransactionIdentifier: "72"
        ).unverified
        let info = try await client.seats(ofTransaction: "1").unverified
        #expect(info.totalCount == 2)
        #expect(info.availableCount == 0)
        #expect(info.assignedClaimIdentifiers == [first, second])
        let error = await failure {
            try await client.claimSeat(ofTransaction: "1", requestIdentifier: requests[2])
        }
        #expect(error?.appleErrorCode == 4_000_000)
        #expect(
            await failure { try await client.associateSeat(UUID(), ofTransaction: "1", with: "71") }?.appleErrorCode
                == 4_000_000)
    }

    @Test("A seat that was given up can be claimed again")
    @available(AppStoreServerAPI 1.0, *)
    func unclaimedSeats() async throws {
        let (_, client) = try fake()
        let first = try await client.claimSeat(ofTransaction: "1", requestIdentifier: UUID()).unverified
        let second = try await client.claimSeat(ofTransaction: "1", requestIdentifier: UUID()).unverified
        try await client.unclaimSeat(first, ofTransaction: "1")
        try await client.unclaimSeat(first, ofTransaction: "1")
        let info = try await client.seats(ofTransaction: "1").unverified
        #expect(info.availableCount == 1)
        #expect(info.assignedClaimIdentifiers == [second])
        _ = try await client.claimSeat(ofTransaction: "1", requestIdentifier: UUID())
    }

    @Test("Production has no groups and seats")
    @available(AppStoreServerAPI 1.0, *)
    func production() async throws {
        let (_, client) = try fake()
        #expect(await failure { try await client.groups(ofCustomer: "1", in: .production) }?.httpStatus == 404)
        #expect(await failure { try await client.seats(ofTransaction: "1", in: .production) }?.httpStatus == 404)
    }
}
