import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
@_exported import TestSupport

/// SHA-256 in hexadecimal digits.
func fingerprint(_ bytes: [UInt8]) -> String {
    TestDigest.sha256.digest(of: bytes).hexadecimal()
}

extension ReceiptVerifier {
    /// What is wrong with a receipt made for `com.example.app`, in any environment; nil if nothing.
    func fault(in bytes: [UInt8]) -> ReceiptError.Code? {
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: .anyEnvironment)
        return report(bytes, expecting: expectations, now: instant("2025-01-01T00:00:00Z")).failure?.code
    }
}
