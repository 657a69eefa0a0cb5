import Foundation
import Testing

@testable import appreceipt

@Suite("Files of private keys")
struct SecretInputTests {
    @Test(
        "A key that every user of the computer can read or change has a warning",
        arguments: [(0o666, true), (0o644, true), (0o602, true), (0o640, false), (0o600, false), (0o400, false)])
    func permissions(_ mode: Int, _ warns: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("key.p8", [1])
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let warning = SecretInput.warning(aboutSecretFile: path)
        #expect((warning != nil) == warns)
        if let warning { #expect(warning.contains(path)) }
    }

    @Test("Standard input, and a file that doesn't exist, have no warning")
    func others() {
        #expect(SecretInput.warning(aboutSecretFile: "-") == nil)
        #expect(SecretInput.warning(aboutSecretFile: "/does/not/exist") == nil)
    }
}
