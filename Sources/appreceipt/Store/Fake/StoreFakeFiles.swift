#if Server
import AppReceiptTesting
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files that clients of the fake need: the key that signs their tokens, and the root of the responses.
@available(AppReceiptServer 1.0, *)
struct StoreFakeFiles {
    private let folder: String
    private let key: TestAppStoreServerKey

    /// Writes the files.
    ///
    /// - Throws: `ExitCode` 73 if they can't be written.
    init(_ store: FakeAppStoreServer, folder: String) throws {
        // The options are used from other folders too.
        self.folder = URL(fileURLWithPath: folder).path
        key = store.key
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for (name, contents) in [
                ("key.p8", Array(try store.key.pem.utf8)), ("root.pem", Array(try store.pki.root.pem().utf8)),
                ("root.cer", try store.pki.root.der()),
            ] {
                try Data(contents).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            }
            // As a key of App Store Connect should be, so that clients don't warn.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key.p8")
        } catch {
            Terminal.printError("\(folder): Can't write the files to this folder.")
            throw ExitCode(73)
        }
    }

    /// The options with which a client uses the fake.
    func options(port: Int, bundleIdentifier: String) -> String {
        [
            "--key", Self.quoted("\(folder)/key.p8"), "--key-id", key.keyIdentifier, "--issuer-id",
            key.issuerIdentifier,
            "--bundle-id", bundleIdentifier, "--root", Self.quoted("\(folder)/root.pem"), "--base-url",
            "http://127.0.0.1:\(port)",
            "--sandbox-base-url", "http://127.0.0.1:\(port)/sandbox",
        ].joined(separator: " ")
    }

    /// The text in the form that a shell reads as one word.
    static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "/._-+,@%:=".utf8.contains(byte)
        }
        return plain
            ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
#endif
