import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
@_exported import TestSupport
import Testing

@testable import VerifyReceipt

/// The date of the tests' requests.
let requestDate = instant("2024-07-03T00:00:00.250Z")

/// The body of a request.
func request(_ receipt: [UInt8], _ members: AppStoreJSON.Object = [:]) -> [UInt8] {
    var object: AppStoreJSON.Object = ["receipt-data": .string(Data(receipt).base64EncodedString())]
    for member in members.members { object[member.name] = member.value }
    return AppStoreJSON.object(object).text()
}

extension VerifyReceiptResponder {
    /// A responder that trusts the standard PKI, responds for any app, and like Apple's endpoint only to receipts.
    static func standard(
        _ environments: Environments = .both, secret: SharedSecret? = nil,
        bundleIdentifiers: AcceptedValues<String> = .anyBundle
    ) throws -> VerifyReceiptResponder {
        VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: environments,
            sharedSecret: secret, bundleIdentifiers: bundleIdentifiers, signedData: nil)
    }

    /// The response to a receipt.
    func response(to receipt: TestReceipt, _ members: AppStoreJSON.Object = [:]) throws -> VerifyReceiptResponse {
        response(to: request(try receipt.signed(), members), now: requestDate)
    }
}

extension AppStoreJSON {
    /// The names of an object's members, in order.
    var names: [String] { object?.members.map(\.name) ?? [] }

    subscript(name: String) -> AppStoreJSON? { object?[name] }
    subscript(index: Int) -> AppStoreJSON? { array.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
}

extension VerifyReceiptResponse {
    /// Whether the body contains only the status, like that of a failure.
    var containsOnlyStatus: Bool { json == ["status": .number(AppStoreJSON.Number(status.rawValue))] }
}

extension TransactionFields {
    /// The element as it is written.
    var json: AppStoreJSON { AppStoreJSON { write(to: &$0) } }
}

extension RenewalFields {
    /// The element as it is written.
    var json: AppStoreJSON { AppStoreJSON { write(to: &$0) } }
}

extension LatestReceiptInfo {
    /// The members as they are written.
    var members: [AppStoreJSON.Object.Member] { AppStoreJSON { write(to: &$0) }.object?.members ?? [] }
}
