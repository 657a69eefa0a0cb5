import Foundation
import ReceiptViewerModel
import Testing

/// Xcode can't be asked here whether it opens the project, so its references are checked one by one.
@Suite("The Xcode project")
struct ProjectTests {
    private static let project = Repository.example.appendingPathComponent("ReceiptViewer.xcodeproj")

    private let root: String
    private let objects: [String: [String: Any]]

    init() throws {
        let data = try Data(contentsOf: Self.project.appendingPathComponent("project.pbxproj"))
        let contents = try #require(
            try unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        root = try #require(contents["rootObject"] as? String)
        objects = try #require(contents["objects"] as? [String: [String: Any]])
    }

    private func scheme(_ name: String) throws -> String {
        let path = "xcshareddata/xcschemes/\(name).xcscheme"
        return try String(contentsOf: Self.project.appendingPathComponent(path), encoding: .utf8)
    }

    private func all(_ type: String) -> [[String: Any]] { objects.values.filter { $0["isa"] as? String == type } }

    /// Returns the strings in a value that are identifiers of objects.
    private func references(in value: Any) -> [String] {
        switch value {
        case let text as String: text.wholeMatch(of: /[0-9A-F]{24}/) == nil ? [] : [text]
        case let list as [Any]: list.flatMap(references)
        case let members as [String: Any]: members.values.flatMap(references)
        default: []
        }
    }

    @Test("Every referenced object exists, and every object is referenced")
    func objectGraph() {
        let referenced = Set(objects.values.flatMap(references) + [root])
        #expect(referenced == Set(objects.keys))
        #expect(all("PBXNativeTarget").count == 2)
    }

    @Test("Every file and folder exists")
    func files() {
        let types = ["PBXFileReference", "PBXFileSystemSynchronizedRootGroup", "XCLocalSwiftPackageReference"]
        let paths = types.flatMap(all).filter { $0["sourceTree"] as? String != "BUILT_PRODUCTS_DIR" }
            .compactMap { ($0["path"] ?? $0["relativePath"]) as? String }
        #expect(paths.count == 6)
        for path in paths {
            #expect(
                FileManager.default.fileExists(atPath: Repository.example.appendingPathComponent(path).path), "\(path)")
        }
    }

    @Test("The schemes name the targets, and that of iOS the StoreKit configuration", arguments: ["", " iOS"])
    func schemes(suffix: String) throws {
        let name = "ReceiptViewer" + suffix
        let scheme = try scheme(name)
        let identifiers = scheme.matches(of: /BlueprintIdentifier = "(.*)"/).map { String($0.1) }
        #expect(identifiers.count == 3)
        #expect(identifiers.allSatisfy { objects[$0]?["name"] as? String == name })
        // Xcode resolves the path from a folder inside of the project.
        #expect(scheme.contains(#"identifier = "../../Configuration/Garden.storekit""#) == (suffix == " iOS"))
    }

    @Test("The app and its products are those of the license")
    func identifiers() throws {
        let bundles = all("XCBuildConfiguration").compactMap { configuration in
            (configuration["buildSettings"] as? [String: Any])?["PRODUCT_BUNDLE_IDENTIFIER"] as? String
        }
        #expect(bundles.count { $0 == LicenseConfiguration.bundleIdentifier } == 2)
        let storeKit = try Data(
            contentsOf: Repository.example.appendingPathComponent("Configuration/Garden.storekit"))
        let configuration = try JSONDecoder().decode(StoreKitConfiguration.self, from: storeKit)
        let products = configuration.products + configuration.subscriptionGroups.flatMap(\.subscriptions)
        #expect(products.map(\.productID) == LicenseConfiguration.proProducts)
    }

    private struct StoreKitConfiguration: Decodable {
        struct Product: Decodable {
            let productID: String
        }

        struct Group: Decodable {
            let subscriptions: [Product]
        }

        let products: [Product]
        let subscriptionGroups: [Group]
    }
}
