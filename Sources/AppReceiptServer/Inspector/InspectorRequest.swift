#if Server
import AppReceiptKit
import AppStoreSignedData
import AppReceiptSupport

/// What the page asks: the bytes that somebody pasted or dropped, and what they are to be checked against.
///
/// `{"input": base64, "name"?, "sample"?, "bundleIdentifier"?, "appVersion"?, "originalAppVersion"?, "environments"?,
/// "devices"?, "complete"?}`, with either `input` or `sample`. Members that are not known are refused: they would be
/// expectations that nobody compares.
struct InspectorRequest {
    /// Where the bytes come from.
    enum Source {
        case bytes([UInt8])
        case sample(InspectorSample)
    }

    let source: Source
    /// What the page calls it; given back as it is.
    let name: String?
    let expectations: Expectations
    /// What the environments were called, in their order.
    let environments: [ReceiptEnvironment.Base]
    /// Whether everything is wanted, however long the answer becomes.
    let isComplete: Bool

    /// What signed data is compared with: the same app and environments.
    var signedDataExpectations: SignedDataExpectations {
        SignedDataExpectations(
            bundleIdentifier: expectations.bundleIdentifier, environments: expectations.environments,
            appAppleIdentifier: .anyApp)
    }

    /// Why a request is not answered.
    struct Fault: Error {
        let status: Int
        let code: String
        let message: String
        let remedy: String

        static func malformed(_ message: String) -> Fault {
            Fault(
                status: 400, code: "inspector-request-malformed", message: message,
                remedy: "Send one JSON object with 'input' (base64) or 'sample', and what to check against.")
        }

        static func mistyped(_ member: String, _ expected: String) -> Fault {
            Fault(
                status: 400, code: "inspector-request-member-mistyped",
                message: "The member '\(member)' is not \(expected).",
                remedy: "Leave it out, or give it that type.")
        }

        static func tooLarge(_ limit: Int) -> Fault {
            Fault(
                status: 413, code: "input-too-large",
                message: "The input is larger than the inspector's limit of \(limit) bytes.",
                remedy: "Look at it with the command line: appreceipt validate FILE.")
        }
    }

    private static let members: Set<String> = [
        "input", "name", "sample", "bundleIdentifier", "appVersion", "originalAppVersion", "environments", "devices",
        "complete",
    ]

    init(parsing body: ArraySlice<UInt8>, maximumInputBytes: Int) throws(Fault) {
        let object = try Self.object(body)
        for member in object.members where !Self.members.contains(member.name) {
            throw .malformed("The request has a member that is not known.")
        }
        name = try Self.text(object, "name")
        isComplete = try Self.flag(object, "complete")
        environments = try Self.environments(object)
        expectations = Expectations(
            bundleIdentifier: try Self.text(object, "bundleIdentifier").map { .identifier($0) } ?? .anyBundle,
            environments: object["environments"] == nil ? .anyEnvironment : .only(Set(environments)),
            appVersion: try Self.text(object, "appVersion"),
            originalAppVersion: try Self.text(object, "originalAppVersion"),
            devices: try Self.devices(object))
        source = try Self.source(object, maximumInputBytes)
    }

    private static func object(_ body: ArraySlice<UInt8>) throws(Fault) -> JSONObject {
        do throws(JSONValue.Fault) {
            if let object = try JSONValue(parsing: body, depth: 3).object { return object }
        } catch {
            throw .malformed("The request is not the JSON that it must be (at byte \(error.position)).")
        }
        throw .malformed("The request is JSON, but no object.")
    }

    private static func source(_ object: JSONObject, _ limit: Int) throws(Fault) -> Source {
        switch (try text(object, "input"), try text(object, "sample")) {
        case (let input?, nil):
            guard let bytes = try? Base64.decode(ArraySlice(input.utf8)) else {
                throw .malformed("The member 'input' is not base64.")
            }
            guard bytes.count <= limit else { throw .tooLarge(limit) }
            return .bytes(bytes)
        case (nil, let name?):
            guard let sample = InspectorSample.all.first(where: { $0.identifier == name }) else {
                throw Fault(
                    status: 404, code: "inspector-sample-unknown", message: "There is no sample of this name.",
                    remedy: "Reload the page: the server may be of another version.")
            }
            return .sample(sample)
        case (nil, nil): throw .malformed("The request has neither 'input' nor 'sample'.")
        case (_?, _?): throw .malformed("The request has both 'input' and 'sample'.")
        }
    }

    /// A text; nil if it is absent.
    private static func text(_ object: JSONObject, _ member: String) throws(Fault) -> String? {
        guard let value = object[member] else { return nil }
        guard let text = value.string else { throw .mistyped(member, "text") }
        return text
    }

    private static func flag(_ object: JSONObject, _ member: String) throws(Fault) -> Bool {
        guard let value = object[member] else { return false }
        guard let truth = value.boolean else { throw .mistyped(member, "true or false") }
        return truth
    }

    private static func texts(_ object: JSONObject, _ member: String) throws(Fault) -> [String] {
        guard let value = object[member] else { return [] }
        guard let elements = value.array, elements.count <= 16 else {
            throw .mistyped(member, "a list of at most 16 texts")
        }
        var texts: [String] = []
        for element in elements {
            guard let text = element.string else { throw .mistyped(member, "a list of at most 16 texts") }
            texts.append(text)
        }
        return texts
    }

    private static func environments(_ object: JSONObject) throws(Fault) -> [ReceiptEnvironment.Base] {
        var environments: [ReceiptEnvironment.Base] = []
        for text in try texts(object, "environments") {
            guard let environment = ReceiptEnvironment.Base(rawValue: text) else {
                throw .mistyped("environments", "a list of 'production', 'sandbox' and 'xcode'")
            }
            environments.append(environment)
        }
        return environments
    }

    private static func devices(_ object: JSONObject) throws(Fault) -> Expectations.Devices {
        guard object["devices"] != nil else { return .anyDevice }
        var devices: [DeviceIdentifier] = []
        for text in try texts(object, "devices") {
            do throws(ReceiptError) {
                devices.append(try DeviceIdentifier(text: text))
            } catch {
                throw Fault(
                    status: 400, code: error.code.rawValue,
                    message: "A device identifier cannot be read. \(error.message)", remedy: error.remedy)
            }
        }
        return .oneOf(devices)
    }
}
#endif
