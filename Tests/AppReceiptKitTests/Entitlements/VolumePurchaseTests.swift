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
        // The App Store writes an absent date as an empty text.
        try Self.check(.licensed(until: nil), at: day("2024-07-03")) { trial in
            trial.receipt.environment = environment
            trial.receipt.overrides[21] = [DERWriter.ia5String("")]
        }
    }

    @Test(
        "A license is valid until its expiration date, exclusively",
        arguments: [ReceiptEnvironment.productionVPP, .productionVPPSandbox, .production, .productionSandbox])
    func withEnd(_ environment: ReceiptEnvironment) throws {
        let end = instant("2025-06-01T12:00:00Z")
        for (date, state) in [
            (day("2020-01-01"), VolumePurchase.licensed(until: end)), (day("2025-01-01"), .licensed(until: end)),
            (instant("2025-06-01T11:59:59.999Z"), .licensed(until: end)), (end, .ended(end)),
            (instant("2025-06-01T12:00:01Z"), .ended(end)), (day("4001-01-01"), .ended(end)),
        ] {
            try Self.check(state, at: date) { trial in
                trial.receipt.environment = environment
                trial.receipt.expirationDate = end
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
        let trial = try Trial().likeXcode()
        let verified = try trial.verified()
        #expect(verified.receipt.expirationDate == day("4001-01-01"))
        for date in [day("2024-07-03"), day("4001-01-01"), day("4002-01-01")] {
            #expect(verified.volumePurchase(at: date) == .personal)
            #expect(verified.receipt.unverifiedVolumePurchase(at: date) == .personal)
        }
        var earlier = trial
        earlier.receipt.expirationDate = day("2030-01-01")
        #expect(try earlier.verified().volumePurchase(at: day("2031-01-01")) == .personal)
        let signed = try AppReceipt(parsing: TestReceipt().signedLikeXcode())
        #expect(signed.unverifiedVolumePurchase(at: day("2024-07-03")) == .personal)
    }

    @Test("Outside of Xcode, the year 4001 is an expiration date like any other")
    func year4001() throws {
        let end = day("4001-01-01")
        try Self.check(.licensed(until: end), at: day("2024-07-03")) { trial in
            trial.receipt.environment = .productionVPP
            trial.receipt.expirationDate = end
        }
    }

    @Test("With an unknown or missing environment, an expiration date means a license")
    func unknownEnvironment() throws {
        let end = day("2026-01-01")
        for override in [[], [DERWriter.utf8String("Staging")]] {
            try Self.check(.licensed(until: end), at: day("2025-12-31")) { trial in
                trial.receipt.overrides[0] = override
                trial.receipt.expirationDate = end
            }
            try Self.check(.ended(end), at: end) { trial in
                trial.receipt.overrides[0] = override
                trial.receipt.expirationDate = end
            }
            try Self.check(.personal, at: end) { $0.receipt.overrides[0] = override }
        }
    }

    @Test("The verifier rejects an ended license, which the unverified value reports")
    func endedBeforeVerification() throws {
        let end = day("2024-12-31")
        let trial = Trial.with { trial in
            trial.receipt.environment = .productionVPPSandbox
            trial.receipt.expirationDate = end
        }
        let code = try trial.verifier().refusal(of: trial.encoded(), trial.expectations, now: trial.now)
        #expect(code == .receiptExpired)
        let receipt = try AppReceipt(parsing: trial.encoded())
        #expect(receipt.unverifiedVolumePurchase(at: trial.now) == .ended(end))
    }

    /// Both the verified and the unverified value must be `state`.
    private static func check(
        _ state: VolumePurchase, at date: Date, sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout Trial) -> Void
    ) throws {
        let trial = Trial.with { trial in
            change(&trial)
            trial.expectations.environments = .anyEnvironment
        }
        let bytes = try trial.encoded()
        let verified = try trial.verifier().verify(bytes, expecting: trial.expectations, now: trial.now)
        #expect(verified.volumePurchase(at: date) == state, sourceLocation: sourceLocation)
        let unverified = try AppReceipt(parsing: bytes).unverifiedVolumePurchase(at: date)
        #expect(unverified == state, sourceLocation: sourceLocation)
    }
}
