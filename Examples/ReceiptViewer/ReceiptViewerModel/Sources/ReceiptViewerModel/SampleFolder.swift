public import Foundation

/// A folder of receipts with the certificates that signed them.
public struct SampleFolder: Sendable {
    /// The receipts, by name.
    public let samples: [Sample]

    /// Trusts only the certificates in the folder, because their keys are public.
    let inspector: Inspector

    /// A receipt in the folder.
    public struct Sample: Sendable, Hashable, Identifiable {
        /// The URL of the file.
        public let url: URL

        /// The URL of the file.
        public var id: URL { url }

        /// The name without the extension.
        public var name: String { url.deletingPathExtension().lastPathComponent }
    }

    /// Reads a folder with `root.pem` and `xcode-certificate.cer`.
    ///
    /// - Parameter url: The folder.
    /// - Throws: An error if the folder or a certificate can't be read.
    public init(_ url: URL) throws {
        samples = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "receipt" }
            .map { Sample(url: $0) }
            .sorted { $0.name < $1.name }
        let root = try String(contentsOf: url.appendingPathComponent("root.pem"), encoding: .utf8)
        let certificate = try Data(contentsOf: url.appendingPathComponent("xcode-certificate.cer"))
        inspector = Inspector(anchors: try TrustAnchors(pem: root), xcode: try XcodeTrust(der: [certificate]))
    }
}
