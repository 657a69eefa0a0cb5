#if Server
import AppReceiptKit
import AppReceiptSupport

/// The OpenAPI 3.1 document of a server.
///
/// The file `openapi.json` describes a server that serves everything and requires a token. This type adds the options
/// of ``ExpectationOption``, and removes what a configuration turns off.
@available(AppReceiptServer 1.0, *)
struct OpenAPIDocument: Sendable {
    /// The document for the configuration.
    private(set) var json: AppStoreJSON.Object

    private static let complete: AppStoreJSON.Object = {
        let bytes = EmbeddedFiles.bytes(EmbeddedFiles.openAPI)
        guard var object = try? AppStoreJSON(parsing: bytes[...]).object else {
            preconditionFailure("openapi.json isn't a JSON object. Run scripts/embed-files.py.")
        }
        for option in ExpectationOption.all { add(option, to: &object) }
        return object
    }()

    /// Adds an option to the requests that have all of them: to the query unless the file describes it there, and with
    /// the same schema to the bodies.
    private static func add(_ option: ExpectationOption, to document: inout AppStoreJSON.Object) {
        let text: AppStoreJSON = ["$ref": "#/components/schemas/TextOption"]
        let list: AppStoreJSON = ["type": "array", "items": text, "minItems": 1]
        let parameter: AppStoreJSON.Object = [
            "name": .string(option.name), "in": "query",
            "description": .string("What the receipt must contain, if it is given: \(option.form)."),
            "schema": option.isRepeatable ? list : text,
        ]
        let shared = document["components"]?.object?["parameters"]?.object
        var member: AppStoreJSON?
        document.update(["paths", "/v1/receipts/validate", "post"]) { operation in
            let parameters = operation["parameters"]?.array ?? []
            let described = parameters.lazy.compactMap { entry in
                let name = entry.object?["$ref"]?.string?.split(separator: "/").last.map { String($0) }
                return (name.flatMap { shared?[$0] } ?? entry).object
            }.first { $0["name"]?.string == option.name }
            if described == nil { operation["parameters"] = .array(parameters + [.object(parameter)]) }
            member = (described ?? parameter)["schema"].map(Self.member)
            operation.update(["requestBody", "content", "application/json", "schema", "properties"]) {
                $0[option.name] = member
            }
        }
        document.update(["components", "schemas", "InspectorRequest", "properties"]) { $0[option.name] = member }
    }

    /// Returns the schema of an option in a body, where a single value needs no list.
    private static func member(_ parameter: AppStoreJSON) -> AppStoreJSON {
        guard let value = parameter.object?["items"] else { return parameter }
        return ["anyOf": [parameter, value]]
    }

    /// Creates the document for a configuration.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the server.
    ///   - servesMetrics: Whether the server has the route `/metrics`.
    init(_ configuration: ServerConfiguration, servesMetrics: Bool) {
        json = Self.complete
        json.update("paths") { paths in
            for path in Self.disabledPaths(configuration, servesMetrics: servesMetrics) { paths[path] = nil }
        }
        if configuration.tokens.isEmpty { removeSecurity() }
    }

    private static func disabledPaths(_ configuration: ServerConfiguration, servesMetrics: Bool) -> [String] {
        var paths: [String] = []
        if configuration.verifyReceiptEnvironments == nil { paths.append("/verifyReceipt") }
        if !configuration.servedEnvironments.contains(.sandbox) { paths.append("/sandbox/verifyReceipt") }
        if !configuration.servesInspector { paths += ["/", "/docs/errors", "/v1/inspector/examine"] }
        if !configuration.servesValidator { paths.append("/v1/validator") }
        if !servesMetrics { paths.append("/metrics") }
        return paths
    }

    /// Removes the token, and the response to a request without it.
    private mutating func removeSecurity() {
        json.update("paths") { paths in
            paths.updateEach { operations in
                operations.updateEach { operation in
                    operation["security"] = nil
                    operation.update("responses") { $0["401"] = nil }
                }
            }
        }
        json.update("components") { components in
            components["securitySchemes"] = nil
            components.update("responses") { $0["Unauthorized"] = nil }
        }
    }
}

extension AppStoreJSON.Object {
    /// Changes the member of this name, if it is an object.
    fileprivate mutating func update(_ name: String, change: (inout AppStoreJSON.Object) -> Void) {
        guard var object = self[name]?.object else { return }
        change(&object)
        self[name] = .object(object)
    }

    /// Changes the object that these names lead to, if there is one.
    fileprivate mutating func update(_ path: [String], change: (inout AppStoreJSON.Object) -> Void) {
        guard let name = path.first else { return change(&self) }
        update(name) { $0.update(Array(path.dropFirst()), change: change) }
    }

    /// Changes every member that is an object.
    fileprivate mutating func updateEach(_ change: (inout AppStoreJSON.Object) -> Void) {
        for name in members.map(\.name) { update(name, change: change) }
    }
}
#endif
