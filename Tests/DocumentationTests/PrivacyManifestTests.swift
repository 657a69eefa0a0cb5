import Foundation
import Testing

/// The manifest is a resource on Apple's platforms only, so this test reads the source file.
@Suite("PrivacyManifest")
struct PrivacyManifestTests {
    /// The keys as Apple names them. The lists are empty, so the type of their elements doesn't matter.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private struct Manifest: Decodable {
        let NSPrivacyTracking: Bool
        let NSPrivacyTrackingDomains: [String]
        let NSPrivacyCollectedDataTypes: [String]
        let NSPrivacyAccessedAPITypes: [String]
    }

    @Test("The manifest states no tracking, no collected data, and no API that requires a reason")
    func manifest() throws {
        let file = Repository.root.appendingPathComponent("Sources/AppReceiptParsing/PrivacyInfo.xcprivacy")
        let manifest = try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
        #expect(!manifest.NSPrivacyTracking)
        #expect(manifest.NSPrivacyTrackingDomains.isEmpty)
        #expect(manifest.NSPrivacyCollectedDataTypes.isEmpty)
        #expect(manifest.NSPrivacyAccessedAPITypes.isEmpty)
    }

    @Test("The sources use no API that requires a reason")
    func noReasonNeeded() throws {
        let needReason = [
            "creationDate]", "modificationDate", "contentModificationDateKey", "creationDateKey", "getattrlist",
            "fstat(", "lstat(", " stat(", "systemUptime", "mach_absolute_time", "volumeAvailableCapacity",
            "systemFreeSize", "statfs", "activeInputModes", "UserDefaults",
        ]
        let enumerator = try #require(
            FileManager.default.enumerator(
                at: Repository.root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil))
        var read = 0
        for case let file as URL in enumerator where file.pathExtension == "swift" {
            // The command line, the server, its store and the test kit aren't part of an app.
            let isOfAnApp = ["/appreceipt/", "/AppReceiptServer/", "/AppReceiptStore/", "/AppReceiptTesting/"]
                .allSatisfy { !file.path.contains($0) }
            guard isOfAnApp else { continue }
            let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
            for name in needReason { #expect(!code.contains(name), "\(file.lastPathComponent): \(name)") }
            read += 1
        }
        #expect(read > 60)
    }
}
