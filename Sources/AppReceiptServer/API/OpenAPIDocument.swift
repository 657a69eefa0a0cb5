#if Server
import AppReceiptKit
import AppReceiptSupport

/// What is served, as OpenAPI 3.1 describes it: for this configuration, so that a route that is off is not in it.
///
/// The tests hold it to the routes, and a script has every statement tried on a running server.
struct OpenAPIDocument {
    let configuration: ServerConfiguration

    var json: JSONValue {
        var paths = JSONObject()
        if configuration.verifyReceiptEnvironments != nil {
            paths["/verifyReceipt"] = verifyReceipt("verifyReceipt")
        }
        if configuration.environments.contains(.sandbox) {
            paths["/sandbox/verifyReceipt"] = verifyReceipt("verifySandboxReceipt")
        }
        paths["/v1/receipts/validate"] = validate
        paths["/v1/receipts/inspect"] = inspect
        paths["/v1/signed-data/verify"] = verifySignedData
        paths["/v1/notifications"] = notifications
        if configuration.servesInspector {
            paths["/"] = page
            paths["/v1/inspector/examine"] = examine
        }
        paths["/healthz"] = operation("alive", "Whether the process is alive.", [("200", "It is.", "Status")])
        paths["/readyz"] = operation(
            "ready", "Whether requests should come here.", [("200", "Yes.", "Status"), ("503", "No.", "Status")])
        paths["/metrics"] = [
            "get": [
                "operationId": "metrics", "summary": "Numbers for Prometheus.",
                "responses": ["200": text("The numbers.", "text/plain")],
            ]
        ]
        paths["/openapi.json"] = [
            "get": [
                "operationId": "openapi", "summary": "This document.",
                "responses": ["200": content("The document.", ["type": "object"])],
            ]
        ]
        var components: JSONObject = ["schemas": .object(OpenAPISchemas.all)]
        if configuration.bearerToken != nil {
            components["securitySchemes"] = ["token": ["type": "http", "scheme": "bearer"]]
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "AppReceiptKit", "version": "1",
                "description":
                    "Verifies App Store receipts and signed data, and answers as Apple's verifyReceipt did.",
                "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
            ],
            "paths": .object(withCrossOrigin(paths)), "components": .object(components),
        ]
    }

    /// Adds what every operation answers to a browser that sends a request for another site.
    private func withCrossOrigin(_ paths: JSONObject) -> JSONObject {
        var paths = paths
        for path in paths.members {
            var operations = path.value.object ?? [:]
            for operation in operations.members {
                var described = operation.value.object ?? [:]
                var responses = described["responses"]?.object ?? [:]
                responses["403"] = refusal("A browser sent it for another site, or to a host that isn't allowed.")
                described["responses"] = .object(responses)
                operations[operation.name] = .object(described)
            }
            paths[path.name] = .object(operations)
        }
        return paths
    }

    // MARK: Paths

    private func verifyReceipt(_ name: String) -> JSONValue {
        [
            "post": [
                "operationId": .string(name),
                "summary": "Answers as Apple's endpoint did. The content type of the request does not matter.",
                "parameters": [Self.account],
                "requestBody": body([("application/json", OpenAPISchemas.reference("VerifyReceiptRequest"))]),
                "responses": [
                    "200": content(
                        "The answer; its status says what came of it.", OpenAPISchemas.reference("VerifyReceiptAnswer"),
                        headers: [
                            "X-Replay": [
                                "description":
                                    "With X-Account: how many purchases were presented for another account before.",
                                "schema": ["type": "string", "pattern": "^[0-9]+$"],
                            ]
                        ]),
                    "400": refusal("The header X-Account cannot be used."),
                    "503": content(
                        "There is too much to do: status 21005.", OpenAPISchemas.reference("VerifyReceiptAnswer"),
                        headers: Self.retryAfter),
                ],
            ],
            "get": [
                "operationId": .string(name + "NotPosted"), "summary": "Status 21000, as Apple's endpoint has it.",
                "responses": [
                    "200": content("Status 21000.", OpenAPISchemas.reference("VerifyReceiptAnswer"))
                ],
            ],
        ]
    }

    private var validate: JSONValue {
        let properties: JSONObject = [
            "receipt": Self.base64Receipt, "bundle-id": bundle, "app-version": Self.text,
            "original-app-version": Self.text, "environment": environments,
            "device-id": Self.list(Self.device), "raw": ["type": "boolean"],
        ]
        return post(
            "validateReceipt", "Validates a receipt check by check, and returns what the customer owns.",
            parameters: [
                Self.account, query("bundle-id", bundle), query("app-version", Self.text),
                query("original-app-version", Self.text), query("environment", environments),
                query("device-id", Self.list(Self.device)), query("raw", Self.queryFlag),
            ],
            bodies: [
                ("application/json", Self.question(properties, required: ["receipt"])),
                ("application/octet-stream", ["type": "string", "minLength": 1]),
            ],
            answer: content("The report.", OpenAPISchemas.reference("ReceiptReport")))
    }

    private var inspect: JSONValue {
        let flags: JSONObject = ["raw": ["type": "boolean"], "certificates": ["type": "boolean"]]
        var properties: JSONObject = ["receipt": Self.base64Receipt]
        for member in flags.members { properties[member.name] = member.value }
        return post(
            "inspectReceipt", "Returns the claimed contents of a receipt, unverified.",
            parameters: flags.members.map { query($0.name, Self.queryFlag) },
            bodies: [
                ("application/json", Self.question(properties, required: ["receipt"])),
                ("application/octet-stream", ["type": "string", "minLength": 1]),
            ],
            answer: content("The claimed contents, or why they can't be read.", OpenAPISchemas.reference("Unverified")))
    }

    private var verifySignedData: JSONValue {
        let options: JSONObject = [
            "kind": ["type": "string", "enum": ["transaction", "renewal-info", "app-transaction", "notification"]],
            "bundle-id": bundle, "environment": environments,
            "app-apple-id": ["type": "integer", "format": "int64", "minimum": 0, "maximum": .number(Self.largest)],
            "device-id": ["type": "string", "format": "uuid", "pattern": .string(Self.uuid)],
        ]
        var properties: JSONObject = ["token": ["type": "string", "minLength": 1]]
        for member in options.members { properties[member.name] = member.value }
        return post(
            "verifySignedData", "Verifies signed data of StoreKit 2, check by check.",
            parameters: [Self.account] + options.members.map { query($0.name, $0.value) },
            bodies: [
                ("application/json", Self.question(properties, required: ["token"])),
                // Whatever the text is, there is a report on it; what begins as an object is read as JSON.
                ("text/plain", ["type": "string", "minLength": 1, "pattern": #"^(?![\t-\r ]*\{)"#]),
            ],
            answer: content("The report.", OpenAPISchemas.reference("SignedDataReport")))
    }

    private var notifications: JSONValue {
        let schema = Self.object(["signedPayload": ["type": "string"]], required: ["signedPayload"], isOpen: true)
        return [
            "post": [
                "operationId": "receiveNotification",
                "summary": "A notification of the App Store's server, version 2. It needs no token: it is signed.",
                "requestBody": body([("application/json", schema)]),
                "responses": [
                    "200": content(
                        "It is genuine, and its contents are recorded.",
                        OpenAPISchemas.reference("NotificationReport")),
                    "400": content(
                        "It isn't genuine, or isn't for this server.",
                        OpenAPISchemas.reference("NotificationReport")),
                    "413": refusal("The body is too large."), "500": refusal("The database failed."),
                    "503": overload,
                ],
            ]
        ]
    }

    private var page: JSONValue {
        [
            "get": [
                "operationId": "inspector", "summary": "The web inspector.",
                "responses": ["200": text("The page.", "text/html")],
            ]
        ]
    }

    private var examine: JSONValue {
        post(
            "examine", "What the web inspector asks. Made for the page; it may change.", parameters: [],
            bodies: [("application/json", OpenAPISchemas.reference("InspectorRequest"))],
            answer: content("Everything that the page shows.", ["type": "object"]),
            more: ["404": refusal("There is no such sample."), "415": refusal("It is no JSON.")])
    }
}

// MARK: - Parts

extension OpenAPIDocument {
    private static let uuid = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
    private static let largest = JSONNumber(Int64.max)

    /// What is given must not be empty: it would be an expectation that nobody compares.
    private static let text: JSONValue = ["type": "string", "minLength": 1]

    private static func list(_ items: JSONValue) -> JSONValue { ["type": "array", "items": items, "minItems": 1] }

    private static let base64Receipt: JSONValue = [
        "type": "string", "minLength": 1, "description": "The receipt in base64 or PEM.",
    ]

    static let device: JSONValue = [
        "type": "string",
        "pattern": .string(
            "^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}"
                + "|[0-9A-Fa-f]{2}(-[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32}|[A-Za-z0-9+/]{8}"
                + "|[A-Za-z0-9+/]{21}[AQgw]==)$"),
    ]

    /// In the query a flag's name alone is enough.
    private static let queryFlag: JSONValue = ["type": "string", "enum": ["true", "false", "1", "0", ""]]

    private static let account: JSONValue = [
        "name": "X-Account", "in": "header",
        "description":
            "Who presents it, as the caller knows the customer. A purchase that was presented for another before is reported.",
        "schema": ["type": "string", "maxLength": 256, "pattern": "^[!-~]*$"],
    ]

    private static let retryAfter: JSONObject = [
        "Retry-After": [
            "description": "Seconds until another try.", "schema": ["type": "string", "pattern": "^[0-9]+$"],
        ]
    ]

    private var bundle: JSONValue {
        let served = configuration.bundleIdentifiers.sorted()
        return served.isEmpty
            ? Self.text : ["type": "string", "enum": .array(served.map { .string($0) })]
    }

    private var environments: JSONValue {
        let served = configuration.environments.map(\.rawValue).sorted()
        return Self.list(["type": "string", "enum": .array(served.map { .string($0) })])
    }

    private static func object(_ properties: JSONObject, required: [String], isOpen: Bool = false) -> JSONValue {
        [
            "type": "object", "properties": .object(properties), "required": .array(required.map { .string($0) }),
            "additionalProperties": .boolean(isOpen),
        ]
    }

    /// A JSON object of a receipt or token, which is required, and options. A list of one value may be written as that
    /// value.
    private static func question(_ properties: JSONObject, required: [String]) -> JSONValue {
        var loose = properties
        for member in properties.members where !required.contains(member.name) {
            guard let item = member.value.object?["items"] else { continue }
            loose[member.name] = ["anyOf": [member.value, item]]
        }
        return object(loose, required: required)
    }

    private func query(_ name: String, _ schema: JSONValue) -> JSONValue {
        ["name": .string(name), "in": "query", "schema": schema]
    }

    private func body(_ schemas: [(String, JSONValue)]) -> JSONValue {
        var content = JSONObject()
        for (type, schema) in schemas { content[type] = ["schema": schema] }
        return ["required": true, "content": .object(content)]
    }

    private func content(_ description: String, _ schema: JSONValue, headers: JSONObject? = nil) -> JSONValue {
        var object: JSONObject = [
            "description": .string(description), "content": ["application/json": ["schema": schema]],
        ]
        object["headers"] = headers.map { .object($0) }
        return .object(object)
    }

    private func text(_ description: String, _ type: String) -> JSONValue {
        ["description": .string(description), "content": .object([type: ["schema": ["type": "string"]]])]
    }

    private func refusal(_ description: String) -> JSONValue {
        content(description, OpenAPISchemas.reference("APIError"))
    }

    private var overload: JSONValue {
        content(
            "There is too much to do.", OpenAPISchemas.reference("APIError"), headers: Self.retryAfter)
    }

    private func operation(_ name: String, _ summary: String, _ responses: [(String, String, String)]) -> JSONValue {
        var object = JSONObject()
        for (status, description, schema) in responses {
            object[status] = content(description, OpenAPISchemas.reference(schema))
        }
        return ["get": ["operationId": .string(name), "summary": .string(summary), "responses": .object(object)]]
    }

    /// A POST to `/v1`.
    private func post(
        _ name: String, _ summary: String, parameters: [JSONValue], bodies: [(String, JSONValue)], answer: JSONValue,
        more: JSONObject = [:]
    ) -> JSONValue {
        var responses: JSONObject = [
            "200": answer, "400": refusal("The request is wrong, whatever its content is."),
            "413": refusal("The body is too large."), "500": refusal("The database failed."), "503": overload,
        ]
        for member in more.members { responses[member.name] = member.value }
        var operation: JSONObject = ["operationId": .string(name), "summary": .string(summary)]
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        operation["requestBody"] = body(bodies)
        if configuration.bearerToken != nil {
            operation["security"] = [["token": []]]
            responses["401"] = refusal("The token of the server is missing or wrong.")
        }
        operation["responses"] = .object(responses)
        return ["post": .object(operation)]
    }
}
#endif
