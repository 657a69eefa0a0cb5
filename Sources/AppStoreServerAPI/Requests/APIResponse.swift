import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// The JSON object of a successful response. Nothing in it is verified.
@available(AppStoreServerAPI 1.0, *)
struct APIResponse: Sendable {
    let environment: AppStoreEnvironment
    var object: AppStoreJSON.Object
    /// Whether the request changes something, so that a response that can't be read leaves open whether it was carried
    /// out.
    var changesSomething = false

    /// Returns a member; nil if it is missing or null. A member with another type isn't what Apple documents, so that
    /// the response is unreadable.
    func string(_ name: String) throws(AppStoreServerError) -> String? { try value(name, as: "a string") { $0.string } }
    func boolean(_ name: String) throws(AppStoreServerError) -> Bool? {
        try value(name, as: "true or false") { $0.boolean }
    }
    func integer(_ name: String) throws(AppStoreServerError) -> Int64? {
        try value(name, as: "an integer") { $0.number?.int64 }
    }
    func identifier(_ name: String) throws(AppStoreServerError) -> UInt64? {
        try value(name, as: "an identifier") { $0.number?.uint64 }
    }
    func uuid(_ name: String) throws(AppStoreServerError) -> UUID? {
        try value(name, as: "a UUID") { $0.string.flatMap { UUID(uuidString: $0) } }
    }

    /// Returns a date in milliseconds since 1970.
    func date(_ name: String) throws(AppStoreServerError) -> Date? {
        try value(name, as: "a date in milliseconds since 1970") { value in
            guard let milliseconds = value.number?.double, milliseconds.magnitude <= 8.64e15 else { return nil }
            return Date(timeIntervalSince1970: milliseconds / 1000)
        }
    }

    private func value<Value>(
        _ name: String, as type: String, read: (AppStoreJSON) -> Value?
    ) throws(AppStoreServerError) -> Value? {
        guard let value = object[name], value != .null else { return nil }
        guard let read = read(value) else { throw unreadable("The member '\(name)' isn't \(type).") }
        return read
    }

    /// Returns the elements of an array, empty if the member is missing.
    func array(_ name: String) throws(AppStoreServerError) -> [AppStoreJSON] {
        guard let value = object[name], value != .null else { return [] }
        guard let elements = value.array else { throw unreadable("The member '\(name)' isn't an array.") }
        return elements
    }

    /// Returns the objects in an array, empty if the member is missing.
    func objects(_ name: String) throws(AppStoreServerError) -> [APIResponse] {
        try array(name).map { (element) throws(AppStoreServerError) in
            guard let object = element.object else { throw unreadable("An element of '\(name)' isn't an object.") }
            return APIResponse(environment: environment, object: object, changesSomething: changesSomething)
        }
    }

    /// Returns a string that the response must contain.
    func required(_ name: String) throws(AppStoreServerError) -> String {
        guard let string = try string(name) else { throw unreadable("The member '\(name)' is missing.") }
        return string
    }

    func unreadable(_ message: String) -> AppStoreServerError {
        AppStoreServerError(
            .responseUnreadable, message: "The response isn't the JSON that Apple documents. \(message)",
            in: environment
        ) { $0.isOutcomeUnknown = changesSomething }
    }
}
