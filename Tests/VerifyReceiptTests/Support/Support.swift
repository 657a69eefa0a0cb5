import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
@_exported import TestSupport
import Testing
import VerifyReceipt

/// When the tests ask.
let asked = instant("2024-07-03T00:00:00.250Z")

/// The body of a request.
func request(_ receipt: [UInt8], _ members: JSONObject = [:]) -> [UInt8] {
    var object: JSONObject = ["receipt-data": .string(Data(receipt).base64EncodedString())]
    for member in members.members { object[member.name] = member.value }
    return JSONValue.object(object).text()
}

extension VerifyReceiptResponder {
    /// One that trusts the standard PKI and answers everything.
    static func standard(
        _ environments: Environments = .both, secret: SharedSecret? = nil,
        bundleIdentifiers: BundleIdentifiers = .anyBundle
    ) throws -> VerifyReceiptResponder {
        VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: environments,
            sharedSecret: secret, bundleIdentifiers: bundleIdentifiers)
    }

    /// The answer to a good receipt with something changed.
    func answer(_ receipt: TestReceipt, _ members: JSONObject = [:]) throws -> VerifyReceiptResponse {
        answer(request(try receipt.signed(), members), now: asked)
    }
}

extension JSONValue {
    /// The names of an object's members in their order.
    var names: [String] { object?.members.map(\.name) ?? [] }

    subscript(name: String) -> JSONValue? { object?[name] }
    subscript(index: Int) -> JSONValue? { array.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
}

extension VerifyReceiptResponse {
    /// The failure's code, and whether the body is the status and nothing else, as failures are.
    var isBare: Bool { json == ["status": .number(JSONNumber(status.rawValue))] }
}
