import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("Expectations")
struct ExpectationsTests {
    @Test("A receipt that meets the expectations passes", arguments: twins)
    func expectedPasses(_ rule: ReceiptVariant) throws { try rule.check() }

    @Test(
        "A volume purchase is compared by its base environment",
        arguments: [
            (ReceiptEnvironment.production, AppStoreEnvironment.production), (.productionVPP, .production),
            (.productionSandbox, .sandbox), (.productionVPPSandbox, .sandbox),
            (ReceiptEnvironment(rawValue: "Sandbox"), .sandbox), (.xcode, .xcode),
        ])
    func environmentsHaveBases(_ environment: ReceiptEnvironment, _ base: AppStoreEnvironment) throws {
        for accepted in AppStoreEnvironment.allCases {
            try ReceiptVariant(
                name: "\(environment) for \(accepted)", code: accepted == base ? nil : .environmentMismatch,
                check: accepted == base ? nil : .environment
            ) { testCase in
                testCase.receipt.environment = environment
                testCase.expectations.environments = .only([accepted])
            }.check()
        }
        let all = ReceiptTestCase.with { testCase in
            testCase.receipt.environment = environment
            testCase.expectations.environments = .only(AppStoreEnvironment.allCases)
        }
        #expect(try all.verified().environment == base)
    }

    @Test("The report contains the position of the device that matched")
    func reportsDevice() throws {
        let others = [Self.device(1), Self.device(2), Self.address]
        for (index, device) in others.enumerated() {
            let testCase = ReceiptTestCase.with { testCase in
                testCase.receipt.device = device
                testCase.expectations.devices = .only(others)
            }
            #expect(try testCase.verified().device == device)
            let message = try testCase.report().checks.first { $0.check == .deviceHash }?.message
            #expect(message?.contains("\(index + 1) of 3") == true, "\(message ?? "")")
        }
        #expect(try ReceiptTestCase().verified().device == nil)
    }

    @Test("A String variable is an expected bundle identifier")
    func stringVariables() {
        let identifier = ["com", "example", "app"].joined(separator: ".")
        let expectations = Expectations(bundleIdentifier: [identifier], environments: [.production])
        #expect(expectations.bundleIdentifier == ["com.example.app"])
        #expect(expectations == Expectations(bundleIdentifier: "com.example.app", environments: [.production]))
        #expect(Expectations(bundleIdentifier: .anyBundle, environments: [.production]) != expectations)
    }

    @Test("Literals are a bundle identifier and environments")
    func literals() {
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])
        #expect(expectations.bundleIdentifier == ["com.example.app"])
        #expect(expectations.environments == .only([.production, .sandbox]))
        #expect(expectations.appVersion == nil)
        #expect(expectations.originalAppVersion == nil)
        #expect(expectations.devices == .anyDevice)
    }

    @Test("A receipt can be for one of several apps, and for none of an empty list")
    func bundleIdentifiers() throws {
        func report(_ accepted: AcceptedValues<String>) throws -> ReceiptReport {
            try ReceiptTestCase.with { $0.expectations.bundleIdentifier = accepted }.report()
        }
        #expect(try report(["com.example.other", "com.example.app"]).isValid)
        let other = try report(["com.example.a", "com.example.b"])
        #expect(other.failure?.code == .bundleIdentifierMismatch)
        #expect(other.firstFailure?.message.hasSuffix("not for one of the 2 expected apps.") == true)
        #expect(try report([]).failure?.code == .bundleIdentifierMismatch)
    }

    private static func device(_ last: UInt8) -> DeviceIdentifier {
        DeviceIdentifier(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last)))
    }

    private static var address: DeviceIdentifier {
        guard let address = DeviceIdentifier(bytes: [2, 0, 0, 0, 0, 1]) else { preconditionFailure("six bytes") }
        return address
    }

    /// Sets the receipt's bundle identifier and the expected one.
    private static func bundle(_ actual: String, expected: String) -> @Sendable (inout ReceiptTestCase) -> Void {
        { testCase in
            testCase.receipt.bundleIdentifier = actual
            testCase.expectations.bundleIdentifier = [expected]
        }
    }

    static let twins: [ReceiptVariant] = [
        .passes("the same bundle identifier", bundle("com.a.b", expected: "com.a.b")),
        .passes("the same accent", bundle("com.cafe\u{301}", expected: "com.cafe\u{301}")),
        .passes("any bundle") { testCase in
            testCase.receipt.bundleIdentifier = "org.another.app"
            testCase.expectations.bundleIdentifier = .anyBundle
        },
        .passes("any bundle and none") { testCase in
            testCase.receipt.overrides[2] = []
            testCase.expectations.bundleIdentifier = .anyBundle
        },
        .passes("one of two environments") { $0.expectations.environments = [.production, .sandbox] },
        .passes("any environment and an unknown one") {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "Staging")
            $0.expectations.environments = .anyEnvironment
        },
        .passes("any environment and none") {
            $0.receipt.overrides[0] = []
            $0.expectations.environments = .anyEnvironment
        },
        .passes("the same version") { $0.expectations.appVersion = "1" },
        .passes("no version and none expected") { $0.receipt.overrides[3] = [] },
        .passes("the same original version") { $0.expectations.originalAppVersion = "1.0" },
        .passes("no original version and none expected") { $0.receipt.overrides[19] = [] },
        .passes("this device") {
            $0.receipt.device = device(1)
            $0.expectations.devices = [device(1)]
        },
        .passes("this Mac, by its last address") {
            $0.receipt.device = address
            $0.expectations.devices = [device(1), device(2), address]
        },
        .passes("no device hash and any device") { $0.receipt.overrides[5] = [] },
        .passes("an expiration date a second after now") {
            $0.receipt.expirationDate = instant("2025-01-01T00:00:01Z")
        },
        .passes("an empty expiration date") { $0.receipt.overrides[21] = [DERWriter.ia5String("")] },
        .passes("an expiration date before the creation date, verified earlier") {
            $0.receipt.expirationDate = instant("2020-01-01T00:00:00Z")
            $0.now = instant("2019-01-01T00:00:00Z")
        },
    ]
}
