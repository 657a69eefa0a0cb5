import AppReceiptKit
package import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a token says, or why it cannot be read, as JSON that says that nothing was verified.
package struct UnverifiedSignedDataReport: Sendable {
    /// What it says, or what is wrong with it.
    package let result: Result<UnverifiedSignedData, ReceiptError>
    /// The payload, where it could be read although something else is wrong.
    package let payload: JSONObject?
    private let showsCertificates: Bool

    /// Reads a token.
    ///
    /// - Parameters:
    ///   - token: a compact JWS.
    ///   - certificates: whether the certificates are wanted too.
    package init(_ token: String, certificates: Bool) {
        showsCertificates = certificates
        do throws(ReceiptError) {
            let data = try UnverifiedSignedData(parsing: token)
            result = .success(data)
            payload = data.claims.members
        } catch {
            result = .failure(error)
            let open = SignedDataExpectations(
                bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
            payload = SignedDataVerifier().report(token, expecting: open).payload
        }
    }

    /// `{"verified": false, "kind", "payload", "nested": [{"kind", "payload"}], "certificates"}`, or with `failure` in
    /// place of what could not be read.
    package var json: JSONValue {
        switch result {
        case .success(let data):
            var object: JSONObject = [
                "verified": false, "kind": Self.kind(data), "payload": .object(data.claims.members),
                "nested": .array(data.nested.map { ["kind": Self.kind($0), "payload": .object($0.claims.members)] }),
            ]
            if showsCertificates, let encoded = try? JSONEncoder().encode(data.certificates) {
                object["certificates"] = try? JSONValue(parsing: Array(encoded)[...])
            }
            return .object(object)
        case .failure(let error):
            return [
                "verified": false, "payload": payload.map { .object($0) } ?? .null,
                "failure": [
                    "check": .string(error.stage.rawValue), "code": .string(error.code.rawValue),
                    "message": .string(error.message),
                ],
            ]
        }
    }

    private static func kind(_ data: UnverifiedSignedData) -> JSONValue {
        data.kind.map { .string($0.rawValue) } ?? .null
    }
}
