import AppReceiptTesting
import AppStoreSignedData
import Foundation
@_exported import TestSupport

/// The code of the error that `body` throws; nil if it doesn't throw.
func code<Value>(_ body: () throws -> Value) -> ReceiptError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? ReceiptError)?.code
    }
}

/// A verifier that trusts the test PKI. It is shared, so tests run with and without a cached chain.
let verifier = SignedDataVerifier(anchors: (try? TestPKI.signedData.anchors) ?? .apple)

let expectations = SignedDataExpectations(
    bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: 1_234_567_890)

let now = instant("2025-01-01T00:00:00Z")
