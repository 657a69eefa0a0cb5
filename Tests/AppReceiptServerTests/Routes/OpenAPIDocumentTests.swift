#if Server
import AppReceiptKit
import AppReceiptSupport
import HTTPTypes
import Hummingbird
import Logging
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("OpenAPIDocument")
struct OpenAPIDocumentTests {
    @available(AppReceiptServer 1.0, *)
    @Test("The document describes the routes of every configuration, and nothing else")
    func pathsAreTheRoutes() throws {
        var production = ServerConfiguration()
        production.environments = [.production]
        production.servesInspector = false
        var guarded = ServerConfiguration()
        guarded.tokens = [AccessToken(SharedSecret("x"))]
        var xcode = ServerConfiguration()
        xcode.environments = [.xcode]
        for configuration in [ServerConfiguration(), production, guarded, xcode] {
            let server = try ReceiptServer(configuration, logger: Logger(label: "test"))
            // The page's scripts and styles aren't an interface.
            let served = Set(
                server.service.makeRouter().routes.map { "\($0.method.rawValue) \($0.path)" }
                    .filter { !$0.contains(" /inspector/") })
            let document = AppStoreJSON.object(OpenAPIDocument(configuration, servesMetrics: true).json)
            let needsToken = !configuration.tokens.isEmpty
            var described: Set<String> = []
            for path in document["paths"]?.object?.members ?? [] {
                for operation in path.value.object?.members ?? [] {
                    described.insert("\(operation.name.uppercased()) \(path.name)")
                    let isAPI = path.name.hasPrefix("/v1") || path.name.hasPrefix("/commerce")
                    let isPublic = path.name.hasSuffix("/capabilities") || path.name == "/v1/validator"
                    let isOpen = path.name == "/v1/notifications" || isPublic || !isAPI
                    #expect((operation.value["security"] != nil) == (needsToken && !isOpen), "\(path.name)")
                    // The report of a notification requires the token, but notifications don't.
                    let canReject = needsToken && isAPI && !isPublic
                    #expect((operation.value["responses"]?["401"] != nil) == canReject, "\(path.name)")
                    #expect(operation.value["responses"]?["403"] != nil, "\(path.name)")
                }
            }
            #expect(described == served)
            #expect((document["components"]?["securitySchemes"] != nil) == needsToken)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The document describes the options that the routes accept")
    func options() throws {
        let document = OpenAPIDocument(ServerConfiguration(), servesMetrics: true).json
        let paths = document["paths"]
        for (path, options) in [
            ("/v1/receipts/validate", ReceiptRoutes.validateOptions),
            ("/v1/receipts/inspect", ReceiptRoutes.inspectOptions),
            ("/v1/signed-data/verify", SignedDataRoutes.verifyOptions),
        ] {
            let post = paths?[path]?["post"]
            let parameters = post?["parameters"]?.array?
                .map { parameter in
                    let name = parameter["$ref"]?.string?.split(separator: "/").last.map { String($0) }
                    return name.flatMap { document["components"]?["parameters"]?[$0] } ?? parameter
                }.filter { $0["in"]?.string == "query" }
            #expect(Set(parameters?.compactMap { $0["name"]?.string } ?? []) == options)
            for parameter in parameters ?? [] { #expect(parameter["description"] != nil) }
            let schema = post?["requestBody"]?["content"]?["application/json"]?["schema"]
            let names = schema?["properties"]?.object?.members.map(\.name) ?? []
            #expect(Set(names).subtracting(["receipt", "token"]) == options)
        }
        let schemas = Self.schemas(ServerConfiguration())
        let names = schemas?["InspectorRequest"]?["properties"]?.object?.members.map(\.name) ?? []
        #expect(Set(names).subtracting(InspectorRequest.contents) == InspectorRequest.options)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The document doesn't depend on the apps and environments that are served, so that clients can be generated")
    func servedValues() {
        var configuration = ServerConfiguration()
        configuration.bundleIdentifiers = ["com.example.b", "com.example.a"]
        configuration.environments = [.production, .sandbox, .xcode]
        #expect(Self.schemas(configuration) == Self.schemas(ServerConfiguration()))
        #expect(
            Self.names(Self.schemas(configuration)?["Environment"]) == Set(AppStoreEnvironment.allCases.map(\.rawValue))
        )
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The document lists the cases of the entitlement's types")
    func cases() {
        let properties = Self.schemas(ServerConfiguration())?["Entitlement"]?["properties"]
        #expect(Self.names(properties?["environment"]) == Set(AppStoreEnvironment.allCases.map(\.rawValue)))
        #expect(Self.names(properties?["kind"]) == Set(Entitlement.Kind.allCases.map(\.rawValue)))
        #expect(Self.names(properties?["state"]) == Set(Entitlement.State.allCases.map(\.rawValue)))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every reference in the document is to a component", arguments: [true, false])
    func references(needsToken: Bool) {
        var configuration = ServerConfiguration()
        configuration.tokens = needsToken ? [AccessToken(SharedSecret("x"))] : []
        let document = AppStoreJSON.object(OpenAPIDocument(configuration, servesMetrics: true).json)
        let references = Self.references(in: document)
        #expect(references.count > 20)
        for reference in references {
            let component = reference.split(separator: "/").dropFirst().reduce(document as AppStoreJSON?) {
                $0?[String($1)]
            }
            #expect(component != nil, "\(reference)")
        }
    }

    @available(AppReceiptServer 1.0, *)
    private static func schemas(_ configuration: ServerConfiguration) -> AppStoreJSON? {
        OpenAPIDocument(configuration, servesMetrics: true).json["components"]?["schemas"]
    }

    private static func names(_ schema: AppStoreJSON?) -> Set<String> {
        Set(schema?["enum"]?.array?.compactMap(\.string) ?? [])
    }

    private static func references(in value: AppStoreJSON) -> Set<String> {
        if let reference = value["$ref"]?.string { return [reference] }
        let children = value.array ?? value.object?.members.map(\.value) ?? []
        return children.reduce(into: []) { $0.formUnion(references(in: $1)) }
    }
}
#endif
