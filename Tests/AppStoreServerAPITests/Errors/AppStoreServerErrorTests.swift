import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing

@testable import AppStoreServerAPI

@Suite("AppStoreServerError")
struct AppStoreServerErrorTests {
    @available(AppStoreServerAPI 1.0, *)
    private func error(_ response: AppStoreServerHTTPResponse) async throws -> AppStoreServerError {
        let client = try makeClient(ScriptedTransport(response), environments: [.production]) {
            $0.retryPolicy = .disabled
        }
        return try #require(await failure { try await client.transaction("1") })
    }

    @Test("An unknown number is kept, with the message and status")
    @available(AppStoreServerAPI 1.0, *)
    func unknownNumber() async throws {
        let error = try await error(.apple(4_000_999, "New."))
        #expect(error.code == .unknownAppleError)
        #expect(error.appleErrorCode == 4_000_999)
        #expect(error.appleMessage == "New.")
        #expect(error.message.contains("4000999"))
        #expect(!error.isRetryable)
        #expect(try await self.error(.apple(5_000_999)).isRetryable)
    }

    @Test("Responses that aren't Apple's JSON have codes of their own")
    @available(AppStoreServerAPI 1.0, *)
    func otherResponses() async throws {
        func body(_ status: Int, _ text: String) -> AppStoreServerHTTPResponse {
            AppStoreServerHTTPResponse(status: status, body: Array(text.utf8))
        }
        let responses: [(AppStoreServerHTTPResponse, AppStoreServerError.Code)] = [
            (.badGateway, .serverError), (body(503, ""), .serverError), (body(404, "not found"), .responseUnreadable),
            (body(302, ""), .responseUnreadable), (body(400, "{}"), .responseUnreadable),
            (body(400, #"{"errorCode": "4000006"}"#), .responseUnreadable), (body(429, "slow down"), .rateLimited),
            (body(200, "<html>Sign in to the network</html>"), .responseUnreadable),
            (body(200, ""), .responseUnreadable),
            (body(200, "[]"), .responseUnreadable), (body(200, "{}"), .responseUnreadable),
            (body(200, #"{"signedTransactionInfo": 7}"#), .responseUnreadable),
            (body(200, #"{"signedTransactionInfo": "a.b.c"}"#), .verificationFailed),
            (body(200, #"{"a":1,"a":2}"#), .responseUnreadable),
            (body(200, String(repeating: "[", count: 100_000)), .responseUnreadable),
        ]
        for (response, code) in responses {
            let error = try await error(response)
            #expect(error.code == code, "\(String(decoding: response.body.prefix(40), as: UTF8.self))")
        }
    }

    @Test("A failed connection names the host, the cause, and a remedy for it")
    @available(AppStoreServerAPI 1.0, *)
    func connections() async throws {
        let server = "api.storekit.apple.com, port 443"
        let cases: [(AppStoreServerTransportError, String, String)] = [
            (.hostNotFound, "\(server), can't be reached: the host name can't be resolved.", "name resolution"),
            (.connectionRefused, "\(server), can't be reached: the connection was refused.", "that a server listens"),
            (.connectionClosed, "The connection to \(server), was closed before", "Try again."),
            (.connectionFailed("no route"), "Cause: no route.", "proxy and firewall"),
        ]
        for (cause, message, remedy) in cases {
            let transport = ScriptedTransport { _, _ in throw cause }
            let error = await failure { try await makeClient(transport).transaction("1") }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(error?.remedy.contains(remedy) == true, "\(error?.remedy ?? "")")
        }
    }

    @Test("Data of another environment names both, and the remedy is about the base URLs")
    @available(AppStoreServerAPI 1.0, *)
    func environments() async throws {
        let error = try await error(transactionResponse("1", in: .sandbox))
        #expect(error.receiptError?.code == .environmentMismatch)
        #expect(error.message.hasSuffix("The data comes from sandbox, not from production."))
        #expect(error.remedy.contains("base URLs"))
    }

    @Test("A response that is larger than the limit is rejected, even if the transport didn't")
    @available(AppStoreServerAPI 1.0, *)
    func tooLarge() async throws {
        let transport = ScriptedTransport(try transactionResponse("1"))
        let client = try makeClient(transport) { $0.maxResponseBytes = 100 }
        #expect(await failure { try await client.transaction("1") }?.code == .responseTooLarge)
        #expect(transport.requests.first?.maxResponseBytes == 100)
    }

    @Test("A failed verification carries its reason")
    @available(AppStoreServerAPI 1.0, *)
    func verification() async throws {
        let forged = try TestTransaction("com.example.pro", transaction: "1").with { $0.environment = .production }
            .signed(
                by: TestPKI.signedData.with {
                    $0.root.key = .foreignSigner; $0.intermediate.issuerKey = .foreignSigner
                })
        let error = try await error(.json(["signedTransactionInfo": .string(forged)]))
        #expect(error.code == .verificationFailed)
        let reason = try #require(error.receiptError)
        #expect(error.remedy == reason.remedy)
        #expect(error.message.hasSuffix(reason.message))
        #expect(error.description.contains(reason.code.rawValue))
        #expect(!error.isRetryable)
    }

    @Test("Descriptions contain code, number, status and environment, but no identifier, token or text of the server")
    @available(AppStoreServerAPI 1.0, *)
    func descriptions() async throws {
        let secret = "2000000987654321"
        let transport = ScriptedTransport(.apple(4_040_010, "Transaction \(secret) not found.\u{1B}[31m"))
        let error = try #require(
            await failure { try await makeClient(transport).restricted(to: .production).transaction(secret) })
        #expect(
            error.description
                == "The transaction wasn't found. [transaction-id-not-found, Apple 4040010, HTTP 404, production]")
        #expect(error.localizedDescription == error.description)
        #expect(error.appleMessage == "Transaction \(secret) not found. [31m")
        let broken = ScriptedTransport { request, _ in throw URLError(.badURL, userInfo: ["url": request.url]) }
        let invalid = await failure { try await makeClient(broken).transaction(secret) }
        #expect(invalid?.code == .unreachable)
        for text in [error.description, error.message, error.remedy, "\(error)", invalid?.description ?? ""] {
            #expect(!text.contains(secret))
            #expect(!text.contains("Bearer"))
        }
        let request = try #require(transport.requests.first)
        #expect(!"\(request) \(String(reflecting: request))".contains("Bearer"))
    }

    @Test("Two errors are equal if their codes are equal, and codes can be stored")
    @available(AppStoreServerAPI 1.0, *)
    func equality() throws {
        #expect(AppStoreServerError(.timedOut) == AppStoreServerError(.timedOut, message: "Other text."))
        #expect(AppStoreServerError(.timedOut) != AppStoreServerError(.unreachable))
        let stored = try JSONEncoder().encode([AppStoreServerError.Code.timedOut])
        #expect(String(decoding: stored, as: UTF8.self) == #"["timed-out"]"#)
        #expect(try JSONDecoder().decode([AppStoreServerError.Code].self, from: stored) == [.timedOut])
    }
}
