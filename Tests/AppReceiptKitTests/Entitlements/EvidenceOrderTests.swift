import Foundation
import TestSupport
import Testing

@testable import AppReceiptKit

@Suite("EvidenceOrder")
struct EvidenceOrderTests {
    @Test("Newer evidence follows older evidence, and at equal dates a revocation, then an upgrade decides")
    func order() {
        let date = instant("2024-07-02T15:04:05Z")
        let ordered = [
            EvidenceOrder(signedDate: date, hasRevocation: true, isUpgraded: true, token: "z"),
            EvidenceOrder(signedDate: date + 1, hasRevocation: false, isUpgraded: false),
            EvidenceOrder(signedDate: date + 1, hasRevocation: false, isUpgraded: false, token: "a"),
            EvidenceOrder(signedDate: date + 1, hasRevocation: false, isUpgraded: false, token: "b"),
            EvidenceOrder(signedDate: date + 1, hasRevocation: false, isUpgraded: true, token: "a"),
            EvidenceOrder(signedDate: date + 1, hasRevocation: true, isUpgraded: false, token: "a"),
            EvidenceOrder(signedDate: date + 1, hasRevocation: true, isUpgraded: true, token: "a"),
        ]
        #expect(ordered.reversed().sorted() == ordered)
    }
}
