#if Server
import AppReceiptKit
import HTTPTypes
import Logging
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite struct OpenAPIDocumentTests {
    @available(AppReceiptServer 1.0, *)
    @Test("The document names what is served, for every configuration, and nothing else")
    func pathsAreThoseServed() throws {
        var production = ServerConfiguration()
        production.environments = [.production]
        production.servesInspector = false
        var guarded = ServerConfiguration()
        guarded.bearerToken = SharedSecret("x")
        for configuration in [ServerConfiguration(), production, guarded] {
            let server = try ReceiptServer(configuration, logger: Logger(label: "test"))
            // Scripts and styles of the page are parts of it and no interface.
            let served = Set(
                server.endpoints.filter { !$0.path.hasPrefix("/inspector/") }
                    .map { "\($0.method.rawValue) \($0.path)" })
            let document = OpenAPIDocument(configuration: configuration).json
            var described: Set<String> = []
            for path in document["paths"]?.object?.members ?? [] {
                for operation in path.value.object?.members ?? [] {
                    described.insert("\(operation.name.uppercased()) \(path.name)")
                    let asks = operation.value["security"] != nil
                    let isOpen = path.name == "/v1/notifications" || !path.name.hasPrefix("/v1")
                    #expect(asks == (configuration.bearerToken != nil && !isOpen), "\(path.name)")
                }
            }
            #expect(described == served)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The options that it describes are those that are understood")
    func optionsAreThoseUnderstood() throws {
        let paths = OpenAPIDocument(configuration: ServerConfiguration()).json["paths"]
        for (path, options) in [
            ("/v1/receipts/validate", ReceiptRoutes.validateOptions),
            ("/v1/receipts/inspect", ReceiptRoutes.inspectOptions),
            ("/v1/signed-data/verify", SignedDataRoutes.verifyOptions),
        ] {
            let post = paths?[path]?["post"]
            let parameters = post?["parameters"]?.array?.filter { $0["in"]?.string == "query" }
            #expect(Set(parameters?.compactMap { $0["name"]?.string } ?? []) == options)
            let schema = post?["requestBody"]?["content"]?["application/json"]?["schema"]
            let names = schema?["properties"]?.object?.members.map(\.name) ?? []
            #expect(Set(names).subtracting(["receipt", "token"]) == options)
        }
    }
}
#endif
