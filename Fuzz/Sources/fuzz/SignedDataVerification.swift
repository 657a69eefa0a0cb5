import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation

/// Verifies signed data under the test root.
enum SignedDataVerification {
    private static let certificates: [[UInt8]] = (try? TestPKI.signedData.certificates()) ?? []
    private static let anchors: TrustAnchors = {
        guard let root = certificates.last, let anchors = try? TrustAnchors(der: [root]) else {
            preconditionFailure()
        }
        return anchors
    }()
    private static let verifier = SignedDataVerifier(anchors: anchors)
    private static let expectations = SignedDataExpectations(
        bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
    private static let now = Date(timeIntervalSince1970: 1_735_689_600)

    static func run(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        validate(text)
        // The bytes as a payload. Signing is the slowest step, so only payloads that can be parsed are signed.
        guard (try? AppStoreJSON(parsing: bytes[...], depth: 16)) != nil,
            var token = try? TestToken([:], certificates: certificates, key: .ellipticSigner)
        else { return }
        token.payloadText = bytes
        guard let signed = try? token.encoded() else { preconditionFailure() }
        validate(signed)
    }

    /// Checks that the result and the report agree for every kind, and that the verified claims are those of the
    /// payload.
    private static func validate(_ token: String) {
        _ = verifier.report(token, expecting: expectations, now: now).json()
        for kind in SignedDataKind.allCases {
            let report = verifier.report(token, as: kind, expecting: expectations, now: now)
            precondition(report.isValid == (report.failure == nil))
            do throws(ReceiptError) {
                switch kind {
                case .transaction:
                    let verified = try verifier.verifyTransaction(token, expecting: expectations, now: now)
                    precondition(report.payload == verified.claims.members)
                    guard let environment = verified.environment, let app = verified.claims.bundleIdentifier else {
                        break
                    }
                    let entitlements = Entitlements(
                        bundleIdentifier: app, environment: environment, transactions: [verified], at: now)
                    precondition(entitlements.all.count <= 1 && entitlements.transactions.count == 1)
                case .renewalInfo: _ = try verifier.verifyRenewalInfo(token, expecting: expectations, now: now)
                case .appTransaction: _ = try verifier.verifyAppTransaction(token, expecting: expectations, now: now)
                case .notification: _ = try verifier.verifyNotification(token, expecting: expectations, now: now)
                case .realtimeRequest: _ = try verifier.verifyRealtimeRequest(token, expecting: expectations, now: now)
                }
                precondition(report.isValid && report.isSigned)
            } catch {
                precondition(report.failure == error && !report.isValid)
            }
        }
    }

    static func seeds() throws -> [[UInt8]] {
        let testCases = try SignedDataAttack.all.flatMap { try [$0.testCase(), $0.twin()] }
        let payloads = try testCases.compactMap { testCase -> [UInt8]? in
            let parts = try testCase.encoded().split(separator: ".")
            guard parts.count == 3 else { return nil }
            let text = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
            let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
            return Data(base64Encoded: text + padding).map { Array($0) }
        }
        return Array(Set(payloads)).filter { $0.count < 8192 }
            + (try testCases.prefix(60).map { Array(try $0.encoded().utf8) })
    }
}
