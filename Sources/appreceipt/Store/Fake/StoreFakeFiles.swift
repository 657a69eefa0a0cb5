#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerTesting
import ArgumentParser

/// The files that clients of the fake need: the key that signs their tokens, and the root of the responses.
@available(AppReceiptServer 1.0, *)
struct StoreFakeFiles {
    private let folder: String
    private let key: TestAppStoreServerKey

    /// Writes the files.
    ///
    /// - Throws: `ExitCode` 73 if they can't be written, or if one of them exists with other contents: it may be a
    ///   genuine key.
    init(_ store: FakeAppStoreServer, folder: String) throws {
        // The options are used from other folders too.
        self.folder = URL(fileURLWithPath: folder).path
        key = store.key
        let files = [
            ("key.p8", Data(try store.key.pem.utf8)), ("root.pem", Data(try store.pki.root.pem().utf8)),
            ("root.cer", Data(try store.pki.root.der())),
        ].map { (path: "\(folder)/\($0.0)", contents: $0.1) }
        for file in files where Self.exists(file.path) {
            let found = (try? Data(contentsOf: URL(fileURLWithPath: file.path))) ?? Data()
            guard Self.comparable(found) != Self.comparable(file.contents) else { continue }
            Terminal.printError(
                "\(file.path): The file exists and isn't the fake's, so it isn't overwritten. Choose another folder for --out."
            )
            throw ExitCode(73)
        }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            // A file that exists stays: the root's signature differs each time, and a running server would notice it.
            for file in files where !Self.exists(file.path) {
                try file.contents.write(to: URL(fileURLWithPath: file.path))
            }
            // As a key of App Store Connect should be, so that clients don't warn.
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/key.p8")
        } catch {
            Terminal.printError("\(folder): Can't write the files to this folder.")
            throw ExitCode(73)
        }
    }

    /// Returns the contents without what differs each time: of a certificate, what is signed, because its ECDSA
    /// signature is random.
    private static func comparable(_ contents: Data) -> [UInt8] {
        let bytes = Array(contents)
        guard let pem = try? PEMBlock.read(bytes[...]).block else { return signedPart(bytes) ?? bytes }
        return pem.label == "CERTIFICATE" ? signedPart(pem.bytes) ?? bytes : bytes
    }

    /// Returns the first element of a DER sequence, if the lengths of both have two bytes.
    private static func signedPart(_ der: [UInt8]) -> [UInt8]? {
        let header: [UInt8] = [0x30, 0x82]
        guard der.count >= 8, der.starts(with: header), der[4...].starts(with: header) else { return nil }
        let end = 8 + Int(der[6]) << 8 + Int(der[7])
        return end <= der.count ? Array(der[4..<end]) : nil
    }

    /// Returns whether something has this path, also a link to nothing.
    private static func exists(_ path: String) -> Bool {
        (try? FileManager.default.attributesOfItem(atPath: path)) != nil
    }

    /// Returns the options with which a client uses the fake.
    func options(port: Int, bundleIdentifier: String) -> String {
        [
            "--key", Terminal.quotedForShell("\(folder)/key.p8"), "--key-id", key.keyIdentifier, "--issuer-id",
            key.issuerIdentifier,
            "--bundle-id", bundleIdentifier, "--root", Terminal.quotedForShell("\(folder)/root.pem"), "--base-url",
            "http://127.0.0.1:\(port)",
            "--sandbox-base-url", "http://127.0.0.1:\(port)/sandbox",
        ].joined(separator: " ")
    }
}
#endif
