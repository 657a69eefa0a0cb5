import AppReceiptSupport
import AppStoreServerAPI
import Foundation
import Testing

@Suite("Production, then sandbox")
struct FallbackTests {
    @available(AppStoreServerAPI 1.0, *)
    private func transport(
        production: AppStoreServerHTTPResponse, sandbox: AppStoreServerHTTPResponse
    ) -> ScriptedTransport {
        ScriptedTransport { request, _ in request.url.contains("sandbox") ? sandbox : production }
    }

    @Test(
        "An identifier that production doesn't know is looked up in the sandbox",
        arguments: [4_040_001, 4_040_003, 4_040_005, 4_040_010, 4_040_019] as [Int64])
    @available(AppStoreServerAPI 1.0, *)
    func notFound(_ number: Int64) async throws {
        let transport = transport(production: .apple(number), sandbox: try transactionResponse("1", in: .sandbox))
        let transaction = try await makeClient(transport).transaction("1")
        #expect(transaction.environment == .sandbox)
        #expect(
            transport.log == [
                "GET production/inApps/v1/transactions/1", "GET sandbox/inApps/v1/transactions/1",
            ])
    }

    @Test("A 401 of production doesn't keep the client from asking the sandbox")
    @available(AppStoreServerAPI 1.0, *)
    func neverApproved() async throws {
        let transport = transport(
            production: .unauthenticated, sandbox: try transactionResponse("1", in: .sandbox))
        #expect(try await makeClient(transport).transaction("1").environment == .sandbox)
        #expect(transport.requests.count == 3)
    }

    @Test("If no environment knows the identifier, the error names both answers")
    @available(AppStoreServerAPI 1.0, *)
    func both() async throws {
        let transport = transport(production: .unauthenticated, sandbox: .apple(4_040_010))
        let error = await failure { try await makeClient(transport).transaction("1") }
        #expect(error?.code == .transactionIdentifierNotFound)
        #expect(error?.environment == .sandbox)
        #expect(error?.otherErrors.map(\.code) == [.unauthenticated])
        #expect(error?.message.contains("Production answered: The App Store rejected the authorization.") == true)
        #expect(error?.remedy.contains("never approved") == true)
        let unknown = self.transport(production: .apple(4_040_010), sandbox: .apple(4_040_010))
        let other = await failure { try await makeClient(unknown).transaction("1") }
        #expect(other?.environment == .production)
        #expect(other?.otherErrors.map(\.environment) == [.sandbox])
        #expect(other?.remedy.contains("never approved") == false)
    }

    @Test("The most specific answer about the identifier is reported, otherwise production's")
    @available(AppStoreServerAPI 1.0, *)
    func mostSpecific() async throws {
        func reported(_ production: Int64, _ sandbox: Int64) async throws -> String {
            let transport = transport(production: .apple(production), sandbox: .apple(sandbox))
            let error = try #require(await failure { try await makeClient(transport).appTransaction(ofCustomer: "1") })
            #expect(error.otherErrors.count == 1)
            return "\(error.appleErrorCode ?? 0) \(error.environment?.rawValue ?? "")"
        }
        #expect(try await reported(4_040_019, 4_040_010) == "4040019 production")
        #expect(try await reported(4_040_003, 4_040_010) == "4040003 production")
        #expect(try await reported(4_040_010, 4_040_019) == "4040019 sandbox")
        #expect(try await reported(4_040_019, 4_040_003) == "4040019 production")
        #expect(try await reported(4_040_010, 4_040_010) == "4040010 production")
        // The sandbox may know the customer.
        #expect(try await reported(4_040_019, 5_000_001) == "5000001 sandbox")
    }

    @Test("If an environment of apps that were never approved answers 401 too, only the key is suspected")
    @available(AppStoreServerAPI 1.0, *)
    func rejectedEverywhere() async throws {
        for environments in [[.production, .sandbox], [.sandbox, .production], [.sandbox], [.production]]
            as [[AppStoreEnvironment]]
        {
            let client = try makeClient(ScriptedTransport(.unauthenticated), environments: environments)
            let error = await failure { try await client.transaction("1") }
            #expect(error?.code == .unauthenticated)
            #expect(error?.remedy.contains("clock") == true)
            #expect(error?.remedy.contains("never approved") == (environments == [.production]))
        }
    }

    @Test(
        "Other failures of production don't lead to the sandbox",
        arguments: [4_000_006, 4_290_000, 5_000_001] as [Int64])
    @available(AppStoreServerAPI 1.0, *)
    func otherFailures(_ number: Int64) async throws {
        let transport = transport(production: .apple(number), sandbox: try transactionResponse("1", in: .sandbox))
        let error = await failure { try await makeClient(transport).transaction("1") }
        #expect(error?.appleErrorCode == number)
        #expect(transport.log.allSatisfy { $0.contains("production") })
    }

    @Test("The environments are asked in the client's order, and only those")
    @available(AppStoreServerAPI 1.0, *)
    func order() async throws {
        let transport = ScriptedTransport(.apple(4_040_010))
        _ = await failure { try await makeClient(transport, environments: [.sandbox, .production]).transaction("1") }
        _ = await failure { try await makeClient(transport).restricted(to: .sandbox).transaction("1") }
        #expect(
            transport.log == [
                "GET sandbox/inApps/v1/transactions/1", "GET production/inApps/v1/transactions/1",
                "GET sandbox/inApps/v1/transactions/1",
            ])
    }

    @Test("A transaction of another environment than the one that was asked is rejected")
    @available(AppStoreServerAPI 1.0, *)
    func otherEnvironment() async throws {
        let transport = ScriptedTransport(try transactionResponse("1", in: .sandbox))
        let error = await failure { try await makeClient(transport).transaction("1") }
        #expect(error?.code == .verificationFailed)
        #expect(error?.receiptError?.code == .environmentMismatch)
        #expect(transport.requests.count == 1)
    }
}
