#if Server
import AppReceiptKit

/// The documents that are sent and given.
enum OpenAPISchemas {
    static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/" + name)] }

    static var all: JSONObject {
        [
            "Status": object(["status": string], required: ["status"]),
            "Refusal": object(
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
            "Failure": [
                "type": ["object", "null"],
                "properties": ["check": nullableString, "code": nullableString, "message": string],
            ],
            "ReceiptReport": report([
                "receipt": ["type": ["object", "null"]], "replays": replays,
            ]),
            "SignedDataReport": report(signedData),
            "NotificationReport": report(
                signedData.merging(["recorded": ["type": "boolean"], "repeated": ["type": "boolean"]])),
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

    private static let replays: JSONValue = [
        "type": "array", "items": string,
        "description":
            "With X-Account: the original transaction identifiers that were presented for another account before.",
    ]

    private static let signedData: JSONObject = [
        "kind": nullableString, "payload": ["type": ["object", "null"]], "nested": ["type": ["object", "null"]],
        "replays": replays,
    ]

    private static func report(_ more: JSONObject) -> JSONValue {
        let common: JSONObject = [
            "verdict": ["enum": ["valid", "invalid"]],
            "environment": ["enum": ["production", "sandbox", "xcode", .null]], "failure": reference("Failure"),
            "checks": ["type": "array", "items": reference("Check")],
        ]
        return object(common.merging(more), required: ["verdict", "environment", "failure", "checks"])
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
