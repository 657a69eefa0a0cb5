import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import ArgumentParser
import Foundation
import Testing

@testable import appreceipt

@Suite("appreceipt store extend and consumption")
struct StoreChangesTests {
    @Test("An extension has its request identifier and its unverified result")
    @available(AppStoreServerAPI 1.0, *)
    func extend() async throws {
        let bench = try StoreTestBench()
        let command = try StoreExtend.parse(
            ["2000000000000001", "--days", "3", "--reason", "outage", "--request-id", "once"] + bench.required)
        let result = try await command.result(from: bench.client(), progress: StoreProgress())
        #expect(result.isSuccess)
        #expect(result.json.object?["requestIdentifier"]?.string == "once")
        #expect(result.json.object?["unverified"]?.object?["success"]?.boolean == true)
        #expect(
            result.lines[0].hasPrefix(
                "According to the App Store's response, the subscription was extended in production."))
        #expect(result.notes[0].hasPrefix("Apple doesn't sign this response."))
        #expect(result.notes[1] == "Request identifier: once")
        let body = try #require(bench.store.requests.last?.body)
        #expect(
            String(decoding: body, as: UTF8.self)
                == #"{"extendByDays":3,"extendReasonCode":3,"requestIdentifier":"once"}"#)
    }

    @Test("Without --request-id, a command has one new request identifier")
    @available(AppStoreServerAPI 1.0, *)
    func newRequestIdentifier() async throws {
        let bench = try StoreTestBench()
        let command = try StoreExtend.parse(
            ["2000000000000001", "--days", "3", "--reason", "outage"] + bench.required)
        let result = try await command.result(from: bench.client(), progress: StoreProgress())
        let identifier = try #require(result.json.object?["requestIdentifier"]?.string)
        #expect(UUID(uuidString: identifier) != nil)
        #expect(command.change?.requestIdentifier == identifier)
        let body = try #require(bench.store.requests.last?.body)
        #expect(String(decoding: body, as: UTF8.self).contains(#""requestIdentifier":"\#(identifier)""#))
    }

    @Test("All active subscribers are extended once for each request identifier, and the status has the counts")
    @available(AppStoreServerAPI 1.0, *)
    func extendAll() async throws {
        let bench = try StoreTestBench()
        let product = ["--product", "com.example.app.plus"]
        let command = try StoreExtendAll.parse(
            product + ["--days", "3", "--reason", "3", "--request-id", "once"] + bench.required)
        for _ in 1...2 {
            let result = try await command.result(from: bench.client(), progress: StoreProgress())
            #expect(result.isSuccess)
            #expect(result.lines[0].contains("in production"))
            #expect(result.notes == ["Apple doesn't sign this response.", "Request identifier: once"])
        }
        let status = try StoreExtendStatus.parse(product + ["--request-id", "once"] + bench.required)
        let unverified = try #require(
            try await status.result(from: bench.client(), progress: StoreProgress()).json.object?["unverified"]?.object)
        #expect(unverified["complete"]?.boolean == true)
        #expect(unverified["succeededCount"]?.number?.int64 == 1)
        #expect(unverified["failedCount"]?.number?.int64 == 0)
        let other = try StoreExtendStatus.parse(product + ["--request-id", "other"] + bench.required)
        #expect(
            await bench.failure { try await other.result(from: bench.client(), progress: StoreProgress()) }?
                .cause?.appleErrorCode == 4_040_009)
    }

    @Test("An extension that isn't successful, or whose answer says nothing, isn't shown as made")
    @available(AppStoreServerAPI 1.0, *)
    func unsuccessful() async throws {
        for (body, code, outcomeIsUnknown) in [
            (#"{"success": false}"#, nil, false), ("{}", "response-unreadable", true),
            (#"{"success": "true"}"#, "response-unreadable", true),
            (#"{"errorCode": 4030004, "success": true}"#, "response-unreadable", true),
        ] {
            let bench = try StoreTestBench()
            let command = try StoreExtend.parse(
                ["2000000000000001", "--days", "3", "--reason", "outage", "--request-id", "once"] + bench.required)
            let client = try command.options.client(
                environments: [.production], transport: ConstantTransport(body: Array(body.utf8)), clock: bench.clock)
            do {
                let result = try await command.result(from: client, progress: StoreProgress())
                #expect(code == nil)
                #expect(!result.isSuccess)
            } catch {
                let failure = StoreFailure(error, changing: command.change)
                #expect(failure.code == code)
                #expect(failure.exitStatus == 1)
                #expect(failure.isOutcomeUnknown == outcomeIsUnknown)
                #expect(failure.lines[0].contains("--request-id once"))
            }
        }
    }

    @Test("The failure of an extension names the request identifier, and whether the outcome is unknown")
    @available(AppStoreServerAPI 1.0, *)
    func failures() async throws {
        let cases: [(FakeAppStoreServer.Fault, Bool)] = [
            (.connectionCut, true), (.html(status: 502), true), (.error(4_030_004), false), (.rateLimit(nil), false),
        ]
        for (fault, isUnknown) in cases {
            let bench = try StoreTestBench()
            bench.store.inject(fault, at: .extend, times: nil)
            let command = try StoreExtend.parse(
                ["2000000000000001", "--days", "3", "--reason", "outage", "--request-id", "once"] + bench.required)
            let client = try bench.client()
            let error = try #require(
                await #expect(throws: AppStoreServerError.self) {
                    try await command.result(from: client, progress: StoreProgress())
                })
            let failure = StoreFailure(error, changing: command.change)
            let object = failure.json.object?["error"]?.object
            #expect(object?["requestIdentifier"]?.string == "once")
            #expect(object?["outcomeUnknown"]?.boolean == isUnknown, "\(fault)")
            let warning =
                "appreceipt: The subscription may have been extended. Repeat the command with --request-id once"
            #expect((failure.lines[0] == warning) == isUnknown)
        }
    }

    @Test("The failure of a command that changes nothing has no outcome")
    @available(AppStoreServerAPI 1.0, *)
    func withoutChange() async throws {
        let bench = try StoreTestBench()
        bench.store.inject(.connectionCut, at: nil, times: nil)
        let failure = try #require(await bench.failure { try await bench.client().transaction("1") })
        #expect(failure.json.object?["error"]?.object?["outcomeUnknown"] == nil)
        #expect(!failure.isOutcomeUnknown)
    }

    @Test("Reasons have names and Apple's numbers")
    @available(AppStoreServerAPI 1.0, *)
    func reasons() {
        for (number, reason) in StoreExtensionOptions.ExtensionReason.allCases.enumerated() {
            #expect(StoreExtensionOptions.ExtensionReason(argument: String(number)) == reason)
            #expect(StoreExtensionOptions.ExtensionReason(argument: reason.rawValue) == reason)
            #expect(reason.value.rawValue == number)
        }
        #expect(StoreExtensionOptions.ExtensionReason(argument: "4") == nil)
    }

    @Test("Consumption information is sent with Apple's names, which may be in lowercase")
    @available(AppStoreServerAPI 1.0, *)
    func consumption() async throws {
        let bench = try StoreTestBench()
        let command = try StoreConsumption.parse(
            [
                "2000000000000003", "--customer-consented", "--delivery-status", "delivered",
                "--consumption-percentage",
                "25000", "--refund-preference", "grant-prorated",
            ] + bench.required)
        let result = try await command.result(from: bench.client(), progress: StoreProgress())
        #expect(result.environment == "production")
        #expect(result.json.object?["accepted"]?.boolean == true)
        let sent = try #require(bench.store.consumption(in: .production).first)
        #expect(sent.body["deliveryStatus"]?.string == "DELIVERED")
        #expect(sent.body["refundPreference"]?.string == "GRANT_PRORATED")
        #expect(sent.body["consumptionPercentage"]?.number?.int64 == 25000)
        #expect(sent.body["customerConsented"]?.boolean == true)
        #expect(sent.body["sampleContentProvided"]?.boolean == false)
    }

    @Test("An account token is sent, and is in the transactions that the App Store signs later")
    @available(AppStoreServerAPI 1.0, *)
    func appAccountToken() async throws {
        let bench = try StoreTestBench()
        let token = "7edea87d-98f0-42d0-9682-49ca81022f73"
        let command = try StoreAppAccountToken.parse(["2000000000000003", "--token", token] + bench.required)
        let result = try await command.result(from: bench.client(), progress: StoreProgress())
        #expect(result.environment == "production")
        #expect(result.json.object?["accepted"] == true)
        #expect(result.json.object?["appAccountToken"] == .string(token))
        let transaction = try await bench.client().transaction("2000000000000003")
        #expect(transaction.claims.appAccountToken == UUID(uuidString: token))
    }

    @Test("Nothing is sent without the customer's consent")
    @available(AppStoreServerAPI 1.0, *)
    func consent() throws {
        let required = try StoreTestBench().required
        #expect(throws: (any Error).self) {
            try StoreConsumption.parse(["1", "--delivery-status", "DELIVERED"] + required)
        }
    }
}
