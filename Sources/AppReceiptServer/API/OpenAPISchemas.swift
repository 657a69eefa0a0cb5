#if Server
import AppReceiptKit
import AppReceiptSupport

/// The schemas of request and response bodies.
enum OpenAPISchemas {
    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/" + name)] }

    static var all: JSONObject {
        [
            "Status": object(["status": string], required: ["status"]),
            "APIError": object(
                [
                    "error": object(
                        ["code": string, "message": string, "remedy": string], required: ["code", "message"])
                ], required: ["error"]),
            "VerifyReceiptRequest": [
                "type": "object",
                "properties": [
                    "receipt-data": ["type": "string", "description": "The receipt in base64."],
                    "password": ["type": "string", "description": "The shared secret, if the server asks for one."],
                    "exclude-old-transactions": ["type": "boolean"],
                ],
                "required": ["receipt-data"],
            ],
            "VerifyReceiptAnswer": [
                "type": "object",
                "properties": [
                    "status": ["type": "integer"], "environment": ["enum": ["Production", "Sandbox", "Xcode"]],
                    "receipt": ["type": "object"], "latest_receipt_info": ["type": ["array", "object"]],
                    "latest_receipt": string, "pending_renewal_info": ["type": "array"],
                    "is-retryable": ["type": "boolean"],
                ],
                "required": ["status"],
            ],
            "Check": object(
                [
                    "name": string, "outcome": ["enum": ["passed", "failed", "skipped"]], "code": nullableString,
                    "message": string,
                ], required: ["name", "outcome", "code", "message"]),
            "Failure": nullable(
                object(
                    ["check": string, "code": string, "message": string, "remedy": string],
                    required: ["check", "code", "message", "remedy"])),
            "Entitlement": entitlement,
            "RevokedTransaction": revokedTransaction,
            "ReceiptReport": report(
                [
                    "products": [
                        "type": "array", "items": reference("Entitlement"),
                        "description": "What the customer owns now. Empty unless the receipt is valid.",
                    ],
                    "receipt": ["type": ["object", "null"]],
                    "revoked": [
                        "type": "array", "items": reference("RevokedTransaction"),
                        "description": "The transactions in the receipt that were refunded or revoked.",
                    ],
                    "replays": replays,
                ], required: ["products", "receipt", "revoked"]),
            "SignedDataReport": report(signedData),
            "NotificationReport": report(
                signedData.merging([
                    "recorded": [
                        "type": "boolean",
                        "description": "Whether it is stored. False if it isn't genuine, or comes from Xcode.",
                    ],
                    "repeated": [
                        "type": "boolean",
                        "description":
                            "Whether the notification's UUID was known. New evidence in it is recorded all the same.",
                    ],
                ]), required: ["recorded"]),
            "Unverified": ["type": "object", "properties": ["verified": ["const": false]], "required": ["verified"]],
            "InspectorRequest": [
                "type": "object",
                "properties": [
                    "input": [
                        "type": "string", "contentEncoding": "base64",
                        "description": "What was pasted or dropped, in base64.",
                    ],
                    "sample": ["type": "string", "description": "In place of the input, a sample of the page."],
                    "name": ["type": "string", "description": "What the page calls it; given back as it is."],
                    "bundleIdentifier": string, "appVersion": string, "originalAppVersion": string,
                    "environments": [
                        "type": "array", "maxItems": 16,
                        "items": ["type": "string", "enum": ["production", "sandbox", "xcode"]],
                    ],
                    "devices": ["type": "array", "maxItems": 16, "items": OpenAPIDocument.device],
                    "complete": [
                        "type": "boolean", "description": "Whether everything is wanted, however long it becomes.",
                    ],
                ],
                "additionalProperties": false, "oneOf": [["required": ["input"]], ["required": ["sample"]]],
            ],
        ]
    }

    private static let string: JSONValue = ["type": "string"]
    private static let nullableString: JSONValue = ["type": ["string", "null"]]
    private static let date: JSONValue = ["type": "string", "format": "date-time"]
    private static let nullableDate: JSONValue = ["type": ["string", "null"], "format": "date-time"]

    /// What a customer has of one product. Absent values are null.
    private static var entitlement: JSONValue {
        let properties: JSONObject = [
            "productIdentifier": string, "environment": cases(of: ReceiptEnvironment.Base.self),
            "kind": cases(of: Entitlement.Kind.self),
            "isActive": ["type": "boolean", "description": "Whether the customer may use the product."],
            "state": cases(of: Entitlement.State.self),
            "since": nullableDate, "until": nullableDate, "asOf": date,
            "reason": ["type": "string", "description": "Why the state is what it is."],
            "nextStep": [
                "type": ["string", "null"], "description": "What to do about it. Null if there is nothing to do.",
            ],
            "originalTransactionIdentifier": nullableString, "transactionIdentifier": nullableString,
            "willRenew": ["type": ["boolean", "null"]], "quantity": ["type": "integer"], "ownership": nullableString,
        ]
        return object(properties, required: properties.members.map { .string($0.name) })
    }

    /// A transaction that was refunded or revoked. Xcode's receipts and damaged ones may lack identifiers.
    private static let revokedTransaction = object(
        ["transactionIdentifier": nullableString, "productIdentifier": nullableString, "revocationDate": date],
        required: ["revocationDate"])

    /// The raw values of an enumeration.
    private static func cases<Value: CaseIterable & RawRepresentable<String>>(of type: Value.Type) -> JSONValue {
        ["type": "string", "enum": .array(type.allCases.map { .string($0.rawValue) })]
    }

    private static func nullable(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }

    private static let replays: JSONValue = [
        "type": "array", "items": string,
        "description":
            "With X-Account: the original transaction identifiers that belong to another account.",
    ]

    private static let signedData: JSONObject = [
        "kind": nullableString, "payload": ["type": ["object", "null"]], "nested": ["type": ["object", "null"]],
        "replays": replays,
    ]

    private static func report(_ more: JSONObject, required: [JSONValue] = []) -> JSONValue {
        let common: JSONObject = [
            "verdict": ["enum": ["valid", "invalid"]],
            "environment": ["enum": ["production", "sandbox", "xcode", .null]], "failure": reference("Failure"),
            "checks": ["type": "array", "items": reference("Check")],
        ]
        return object(common.merging(more), required: ["verdict", "environment", "failure", "checks"] + required)
    }

    private static func object(_ properties: JSONObject, required: [JSONValue]) -> JSONValue {
        [
            "type": "object", "properties": .object(properties), "required": .array(required),
            "additionalProperties": false,
        ]
    }
}

extension JSONObject {
    fileprivate func merging(_ other: JSONObject) -> JSONObject {
        var object = self
        for member in other.members { object[member.name] = member.value }
        return object
    }
}
#endif
