import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("VolumePurchase")
struct VolumePurchaseTests {
    @Test(
        "A volume purchase without an expiration date is licensed without an end",
        arguments: [ReceiptEnvironment.productionVPP, .productionVPPSandbox])
    func withoutEnd(_ environment: ReceiptEnvironment) throws {
        for date in [Date.distantPast, day("2024-07-03"), day("2100-01-01"), .distantFuture] {
            try Self.check(.licensed(until: nil), at: date) { $0.receipt.environment = environment }
        }
        // The App Store encodes an absent date as an empty string.
        try Self.check(.licensed(until: nil), at: day("2024-07-03")) { testCase in
            testCase.receipt.environment = environment
            testCase.receipt.overrides[21] = [DERWriter.ia5String("")]
        }
    }

    @Test(
        "A license is valid until its expiration date",
        arguments: [ReceiptEnvironment.productionVPP, .productionVPPSandbox, .production, .productionSandbox])
    func withEnd(_ environment: ReceiptEnvironment) throws {
        let end = instant("2025-06-01T12:00:00Z")
        for (date, state) in [
            (day("2020-01-01"), VolumePurchase.licensed(until: end)), (day("2025-01-01"), .licensed(until: end)),
            (instant("2025-06-01T11:59:59.999Z"), .licensed(until: end)), (end, .ended(end)),
            (instant("2025-06-01T12:00:01Z"), .ended(end)), (day("4001-01-01"), .ended(end)),
        ] {
            try Self.check(state, at: date) { testCase in
                testCase.receipt.environment = environment
                testCase.receipt.expirationDate = end
            }
        }
    }

    @Test(
        "A receipt with neither a volume purchase nor an expiration date is a personal purchase",
        arguments: [ReceiptEnvironment.production, .productionSandbox, ReceiptEnvironment(rawValue: "Sandbox")])
    func persons(_ environment: ReceiptEnvironment) throws {
        for date in [day("2024-07-03"), day("4001-01-01")] {
            try Self.check(.personal, at: date) { $0.receipt.environment = environment }
        }
    }

    @Test("An expiration date in an Xcode receipt isn't a license")
    func xcode() throws {
        let testCase = try ReceiptTestCase().likeXcode()
        let verified = try testCase.verified()
        #expect(verified.receipt.expirationDate == day("4001-01-01"))
        for date in [day("2024-07-03"), day("4001-01-01"), day("4002-01-01")] {
            #expect(verified.volumePurchase(at: date) == .personal)
            #expect(verified.receipt.volumePurchase(at: date) == .personal)
        }
        var earlier = testCase
        earlier.receipt.expirationDate = day("2030-01-01")
        #expect(try earlier.verified().volumePurchase(at: day("2031-01-01")) == .personal)
        let signed = try AppReceipt(parsing: TestReceipt().signedLikeXcode())
        #expect(signed.volumePurchase(at: day("2024-07-03")) == .personal)
    }

    @Test("Outside of Xcode, the year 4001 is an expiration date like any other")
    func year4001() throws {
        let end = day("4001-01-01")
        try Self.check(.licensed(until: end), at: day("2024-07-03")) { testCase in
            testCase.receipt.environment = .productionVPP
            testCase.receipt.expirationDate = end
        }
    }

    @Test("With an unknown or missing environment, an expiration date means a license")
    func unknownEnvironment() throws {
        let end = day("2026-01-01")
        for override in [[], [DERWriter.utf8String("Staging")]] {
            try Self.check(.licensed(until: end), at: day("2025-12-31")) { testCase in
                testCase.receipt.overrides[0] = override
                testCase.receipt.expirationDate = end
            }
            try Self.check(.ended(end), at: end) { testCase in
                testCase.receipt.overrides[0] = override
                testCase.receipt.expirationDate = end
            }
            try Self.check(.personal, at: end) { $0.receipt.overrides[0] = override }
        }
    }

    @Test("The verifier rejects an ended license, which the unverified value reports")
    func endedBeforeVerification() throws {
        let end = day("2024-12-31")
        let testCase = ReceiptTestCase.with { testCase in
            testCase.receipt.environment = .productionVPPSandbox
            testCase.receipt.expirationDate = end
        }
        let code = try testCase.verifier().errorCode(of: testCase.encoded(), testCase.expectations, now: testCase.now)
        #expect(code == .receiptExpired)
        let receipt = try AppReceipt(parsing: testCase.encoded())
        #expect(receipt.volumePurchase(at: testCase.now) == .ended(end))
    }

    /// Checks that the verified and the unverified value are `state`.
    private static func check(
        _ state: VolumePurchase, at date: Date, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout ReceiptTestCase) -> Void
    ) throws {
        let testCase = ReceiptTestCase.with { testCase in
            change(&testCase)
            testCase.expectations.environments = .anyEnvironment
        }
        let bytes = try testCase.encoded()
        let verified = try testCase.verifier().verify(bytes, expecting: testCase.expectations, now: testCase.now)
        #expect(verified.volumePurchase(at: date) == state, sourceLocation: sourceLocation)
        let unverified = try AppReceipt(parsing: bytes).volumePurchase(at: date)
        #expect(unverified == state, sourceLocation: sourceLocation)
    }
}
