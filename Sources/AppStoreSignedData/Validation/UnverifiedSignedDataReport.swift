import AppReceiptFoundation
import AppReceiptKit
package import AppReceiptSupport

/// The contents of a token or the failure to read it, as JSON with `"verified": false`.
package struct UnverifiedSignedDataReport: Sendable {
    /// The contents, or the failure to read them.
    package let result: Result<UnverifiedSignedData, ReceiptError>
    /// The payload if it could be read, even if another part couldn't.
    package let payload: AppStoreJSON.Object?
    private let showsCertificates: Bool
    private let remedy: @Sendable (_ code: String, _ remedy: String) -> String

    /// Reads a token.
    ///
    /// - Parameters:
    ///   - token: A compact JWS.
    ///   - certificates: Whether the report contains the certificates.
    ///   - remedy: Returns the remedy for an error's code and the library's remedy.
    package init(
        _ token: String, certificates: Bool, remedy: @escaping @Sendable (_ code: String, _ remedy: String) -> String
    ) {
        showsCertificates = certificates
        self.remedy = remedy
        do throws(ReceiptError) {
            let data = try UnverifiedSignedData(parsing: token)
            result = .success(data)
            payload = data.claims.members
        } catch {
            result = .failure(error)
            let limits = SignedDataLimits.default
            // Unsigned JSON is a payload too.
            payload =
                [.tokenUnsigned, .responseWithoutReceipt].contains(error.code)
                ? (try? AppStoreJSON(parsing: ArraySlice(token.utf8)))?.object
                : try? JWS(ArraySlice(token.utf8), limits: limits).members(limits: limits)
        }
    }

    /// `{"verified": false, "kind", "payload", "nested": [{"kind", "payload"}], "certificates"}`, or with `failure` in
    /// place of what couldn't be read.
    package var json: AppStoreJSON {
        switch result {
        case .success(let data):
            var object: AppStoreJSON.Object = [
                "verified": false, "kind": Self.kind(data), "payload": .object(data.claims.members),
                "nested": .array(data.nested.map { ["kind": Self.kind($0), "payload": .object($0.claims.members)] }),
            ]
            if showsCertificates {
                object["certificates"] = .array(
                    data.certificates.map { certificate in AppStoreJSON { certificate.write(to: &$0) } })
            }
            return .object(object)
        case .failure(let error):
            return [
                "verified": false, "payload": payload.map { .object($0) } ?? .null,
                "failure": AppStoreJSON { error.writeUnverified(to: &$0, remedy) },
            ]
        }
    }

    private static func kind(_ data: UnverifiedSignedData) -> AppStoreJSON {
        data.kind.map { .string($0.rawValue) } ?? .null
    }
}
