import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The payload of a token of an unknown kind. It is reported but never verified.
struct UnrecognizedClaims: ReadableClaims {
    let members: JSONObject
    let signedDate: Date? = nil
    let bundleIdentifier: String? = nil
    let appAppleIdentifier: UInt64? = nil
    let environment: SignedDataEnvironment? = nil
    let deviceVerification: DeviceVerification? = nil

    // Never called: no value of this type is created.
    static var kind: SignedDataKind { .transaction }

    init(_ members: JSONObject) throws(ReceiptError) { throw ReceiptError(.tokenKindUnknown) }

    static func matches(_ members: JSONObject) -> Bool { false }

    static func verified(_ data: VerifiedData<Self>, _ nested: NestedData) throws(ReceiptError) -> VerifiedSignedData {
        throw ReceiptError(.tokenKindUnknown)
    }
}
