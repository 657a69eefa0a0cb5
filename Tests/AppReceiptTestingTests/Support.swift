import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
@_exported import TestSupport

/// Returns the SHA-256 digest in hexadecimal.
func fingerprint(_ bytes: [UInt8]) -> String {
    TestDigest.sha256.digest(of: bytes).hexadecimal()
}

extension ReceiptVerifier {
    /// Verifies a receipt for `com.example.app` in any environment, and returns the code of the failure, if any.
    func fault(in bytes: [UInt8]) -> ReceiptError.Code? {
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: .anyEnvironment)
        return report(bytes, expecting: expectations, now: instant("2025-01-01T00:00:00Z")).failure?.code
    }
}
