import AppReceiptTesting
import AppStoreSignedData
import Foundation
@_exported import TestSupport

/// The code of the error that `body` throws, nil if it throws none.
func code<Value>(_ body: () throws -> Value) -> ReceiptError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? ReceiptError)?.code
    }
}

/// A verifier that trusts the test PKI, shared so that each test's chain is one it knows or not by chance.
let verifier = SignedDataVerifier(anchors: (try? TestPKI.signedData.anchors) ?? .apple)

let expectations = SignedDataExpectations(
    bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: 1_234_567_890)

let now = instant("2025-01-01T00:00:00Z")
