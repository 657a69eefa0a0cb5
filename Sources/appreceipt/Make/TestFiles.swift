import AppReceiptFoundation
import AppReceiptKit
import AppReceiptTesting
import ArgumentParser

/// A test receipt or token and the certificate to trust, as files.
struct TestFiles {
    let folder: String
    let name: String
    let contents: [UInt8]
    let trust: Trust

    /// The certificate under which the data is valid.
    struct Trust {
        let name: String
        let option: String
        let contents: [UInt8]

        static func root(_ certificate: TestCertificate, name: String = TestFiles.rootName) throws -> Trust {
            Trust(name: name, option: "--root", contents: Array(try certificate.pem().utf8))
        }

        static func xcode(_ certificate: [UInt8]) -> Trust {
            Trust(name: TestFiles.xcodeName, option: "--trust-xcode", contents: certificate)
        }
    }

    static let rootName = "root.pem"
    static let signedDataRootName = "signed-data-root.pem"
    private static let xcodeName = "xcode-certificate.cer"

    /// Returns the file name: `name`, with the extension if it has none, or the default name if it isn't given.
    static func fileName(_ name: String?, default defaultName: String, extension fileExtension: String) -> String {
        guard let name else { return defaultName }
        return name.contains(".") ? name : "\(name).\(fileExtension)"
    }

    static func checkName(_ name: String?) throws {
        guard ![rootName, signedDataRootName, xcodeName].contains(name) else {
            throw ValidationError("--name: The certificate's file has this name.")
        }
    }

    /// Returns the certificate that signs tokens like Xcode: that of earlier tokens in the folder, otherwise a new one.
    ///
    /// Trust is by exact match, and each encoding has another signature.
    static func xcodeTokenCertificate(in folder: String) throws -> [UInt8] {
        let new = try TestPKI.xcodeTokens.der()
        guard let earlier = try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(xcodeName)")),
            let certificate = EncodedCertificate(der: Array(earlier)[...]),
            certificate.toBeSigned == EncodedCertificate(der: new[...])?.toBeSigned
        else { return new }
        return Array(earlier)
    }

    /// Writes both files, prints their paths, and shows the command that validates the first.
    func write(shownBy command: String) throws {
        let (file, certificate) = ("\(folder)/\(name)", "\(folder)/\(trust.name)")
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(contents).write(to: URL(fileURLWithPath: file))
            try Data(trust.contents).write(to: URL(fileURLWithPath: certificate))
        } catch {
            Terminal.printError("\(folder): Can't write the files to this folder.")
            throw ExitCode(73)
        }
        try Terminal.write("\(file)\n\(certificate)\n")
        let words = [CommandLine.arguments.first ?? "appreceipt", command, file, trust.option, certificate]
        Terminal.note("To validate it: \(words.map(Terminal.quotedForShell).joined(separator: " "))")
    }
}
