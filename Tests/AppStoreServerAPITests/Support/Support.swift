import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerTesting
import Crypto
import Foundation
@_exported import TestSupport

@testable import AppStoreServerAPI

/// The current time of the tests, after the test data was signed.
let now = instant("2025-01-01T00:00:00Z")

let issuer = "57246542-96fe-1a63-e053-0824d011072a"

/// A private key that protects nothing.
func privateKey(_ byte: UInt8 = 7) throws -> P256.Signing.PrivateKey {
    try P256.Signing.PrivateKey(rawRepresentation: Data(repeating: byte, count: 32))
}

@available(AppStoreServerAPI 1.0, *)
func testKey() throws -> AppStoreServerKey {
    try AppStoreServerKey(
        pem: privateKey().pemRepresentation, keyIdentifier: "2X9R4HXF34", issuerIdentifier: issuer)
}

/// A client that trusts the test PKI, with a clock that nothing waits for and without randomness.
@available(AppStoreServerAPI 1.0, *)
func makeClient(
    _ transport: any AppStoreServerTransport, time: TestTime = TestTime(),
    appAppleIdentifier: UInt64? = 1_234_567_890,
    environments: [AppStoreEnvironment] = [.production, .sandbox],
    _ change: (inout AppStoreServerConfiguration) -> Void = { _ in }
) throws -> AppStoreServerClient {
    var configuration = AppStoreServerConfiguration()
    configuration.clock = time.clock
    configuration.random = { 0 }
    change(&configuration)
    return try AppStoreServerClient(
        key: testKey(), bundleIdentifier: "com.example.app", appAppleIdentifier: appAppleIdentifier,
        environments: environments, transport: transport,
        verifier: SignedDataVerifier(anchors: TestPKI.signedData.anchors), configuration: configuration)
}

/// A client of a fake, with the fake's key.
@available(AppStoreServerAPI 1.0, *)
func makeClient(of store: FakeAppStoreServer) throws -> AppStoreServerClient {
    var configuration = AppStoreServerConfiguration()
    configuration.clock = TestTime().clock
    return try AppStoreServerClient(
        key: AppStoreServerKey(
            pem: store.key.pem, keyIdentifier: store.key.keyIdentifier, issuerIdentifier: store.key.issuerIdentifier),
        bundleIdentifier: store.bundleIdentifier, transport: store,
        verifier: SignedDataVerifier(anchors: TestPKI.signedData.anchors), configuration: configuration)
}

/// The error that `body` throws; nil if it doesn't throw.
@available(AppStoreServerAPI 1.0, *)
func failure<Value>(_ body: () async throws -> Value) async -> AppStoreServerError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? AppStoreServerError
    }
}

/// A signed non-consumable, or with an original transaction a period of a subscription.
func signedTransaction(
    _ identifier: String, original: String? = nil, in environment: SignedDataEnvironment = .production,
    _ change: (inout TestTransaction) -> Void = { _ in }
) throws -> String {
    let transaction = TestTransaction(
        original == nil ? "com.example.pro" : "com.example.monthly", transaction: identifier, original: original,
        until: original == nil ? nil : instant("2025-02-01T00:00:00Z"))
    return try transaction.with {
        $0.environment = environment
        change(&$0)
    }.signed()
}

func signedRenewalInfo(
    original: String, in environment: SignedDataEnvironment = .production
) throws -> String {
    try TestRenewalInfo("com.example.monthly", original: original).with { $0.environment = environment }.signed()
}

/// A response to Get Transaction Info.
@available(AppStoreServerAPI 1.0, *)
func transactionResponse(
    _ identifier: String, in environment: SignedDataEnvironment = .production
) throws -> AppStoreServerHTTPResponse {
    .json(["signedTransactionInfo": .string(try signedTransaction(identifier, in: environment))])
}

/// The parts of a token: header, payload, and the signed bytes with the signature.
struct DecodedToken {
    let header: AppStoreJSON.Object
    let payload: AppStoreJSON.Object
    let signed: [UInt8]
    let signature: [UInt8]

    init?(_ token: String) throws {
        let parts = token.split(separator: ".")
        guard parts.count == 3 else { return nil }
        let decoded = try parts.map { try Base64URL.decode(Array($0.utf8)[...]) }
        guard let header = try AppStoreJSON(parsing: decoded[0][...]).object,
            let payload = try AppStoreJSON(parsing: decoded[1][...]).object
        else { return nil }
        self.header = header
        self.payload = payload
        signed = Array("\(parts[0]).\(parts[1])".utf8)
        signature = decoded[2]
    }

    /// Whether the test key signed the token.
    var isSigned: Bool {
        get throws {
            try privateKey().publicKey.isValidSignature(
                P256.Signing.ECDSASignature(rawRepresentation: signature), for: signed)
        }
    }
}
