import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON object of a successful response. Nothing in it is verified.
@available(AppStoreServerAPI 1.0, *)
struct APIResponse: Sendable {
    let environment: ReceiptEnvironment.Base
    var object: JSONObject

    /// A member; nil if it is missing, null or has another type.
    func string(_ name: String) -> String? { object[name]?.string }
    func boolean(_ name: String) -> Bool? { object[name]?.boolean }
    func integer(_ name: String) -> Int64? { object[name]?.number?.int64 }
    func identifier(_ name: String) -> UInt64? { object[name]?.number?.uint64 }
    func uuid(_ name: String) -> UUID? { string(name).flatMap { UUID(uuidString: $0) } }

    /// A date in milliseconds since 1970.
    func date(_ name: String) -> Date? {
        guard let milliseconds = object[name]?.number?.double, milliseconds.magnitude <= 8.64e15 else { return nil }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }

    /// The elements of an array, empty if the member is missing.
    func array(_ name: String) throws(AppStoreServerError) -> [JSONValue] {
        guard let value = object[name], value != .null else { return [] }
        guard let elements = value.array else { throw unreadable("The member '\(name)' isn't an array.") }
        return elements
    }

    /// The objects in an array, without elements of other types.
    func objects(_ name: String) throws(AppStoreServerError) -> [APIResponse] {
        try array(name).compactMap { $0.object.map { APIResponse(environment: environment, object: $0) } }
    }

    /// A string that the response must contain.
    func required(_ name: String) throws(AppStoreServerError) -> String {
        guard let string = string(name) else { throw unreadable("The member '\(name)' is missing, or isn't a string.") }
        return string
    }

    func unreadable(_ message: String) -> AppStoreServerError {
        AppStoreServerError(
            .responseUnreadable, "The response isn't the JSON that Apple documents. \(message)", in: environment)
    }
}
