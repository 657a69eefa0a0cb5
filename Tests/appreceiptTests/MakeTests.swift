import AppReceiptKit
import Foundation
import Testing

@Suite("appreceipt make")
struct MakeTests {
    @Test("A made receipt is valid under its root, and the same every time")
    func makesAndValidates() throws {
        let folders = [try TemporaryFolder(), try TemporaryFolder()]
        for folder in folders {
            let made = try CommandLineTool.run(
                "make", "--bundle-id", "com.example.app", "--purchase", "com.example.pro", "--subscription",
                "com.example.monthly:3:trial", "--out", folder.path)
            #expect(made.status == 0)
            #expect(made.output == "\(folder.path)/receipt\n\(folder.path)/root.pem\n")
            let valid = try CommandLineTool.run(
                "validate", "\(folder.path)/receipt", "--root", "\(folder.path)/root.pem", "--bundle-id",
                "com.example.app", "--environment", "sandbox")
            #expect(valid.status == 0)
        }
        let receipts = try folders.map { try Data(contentsOf: $0.url("receipt")) }
        #expect(receipts[0] == receipts[1])
        #expect(try AppReceipt(parsing: Array(receipts[0])).purchases.count == 4)
    }

    @Test(
        "Every form and digest is valid",
        arguments: [
            ["--form", "der"], ["--form", "ber"], ["--form", "base64"], ["--form", "pem"], ["--digest", "sha384"],
            ["--digest", "sha512"], ["--signed-attributes"], ["--digest", "sha1"],
        ])
    func forms(_ options: [String]) throws {
        let folder = try TemporaryFolder()
        #expect(
            try CommandLineTool.run(["make", "--bundle-id", "com.example.app", "--out", folder.path] + options).status
                == 0)
        let valid = try CommandLineTool.run("validate", "\(folder.path)/receipt", "--root", "\(folder.path)/root.pem")
        #expect(valid.status == 0, "\(valid.output)")
    }

    @Test("The printed command works, and a note explains a receipt that is invalid because of its dates")
    func hints() throws {
        let folder = try TemporaryFolder()
        let made = try CommandLineTool.run(
            "make", "--bundle-id", "com.example.app", "--created", "2050-01-01T00:00:00Z", "--out", "\(folder.path)/a b"
        )
        #expect(made.status == 0)
        #expect(made.errors.contains("validate '\(folder.path)/a b/receipt' --root '\(folder.path)/a b/root.pem'"))
        #expect(made.errors.contains("Note: the receipt isn't valid."))
        let usual = try CommandLineTool.run("make", "--bundle-id", "com.example.app", "--out", folder.path)
        #expect(!usual.errors.contains("Note:"))
    }

    @Test(
        "Every forgery fails with its own code",
        arguments: [
            ("content", "signature-invalid"), ("signature", "signature-invalid"),
            ("impostor", "intermediate-signature-invalid"), ("developer", "signer-marker-missing"),
        ])
    func forgeries(_ kind: String, _ code: String) throws {
        let folder = try TemporaryFolder()
        let made = try CommandLineTool.run(
            "make", "--bundle-id", "com.example.app", "--forge", kind, "--out", folder.path)
        #expect(made.status == 0)
        let result = try CommandLineTool.run(
            "validate", "\(folder.path)/receipt", "--root", "\(folder.path)/root.pem", "--format", "json")
        #expect(result.status == 1)
        #expect(try result.failure()[1] == code)
    }

    @Test(
        "Wrong usage ends with 64",
        arguments: [
            ["--subscription", "product:0"], ["--subscription", "product:3:paid"], ["--created", "yesterday"],
            ["--digest", "md5"], ["--forge", "luck"], ["--name", "../x"], ["--name", "root.pem"],
            ["--device-id", "zz"],
            ["--environment", "xcode", "--forge", "impostor"], ["--environment", "xcode", "--form", "der"],
            ["--environment", "xcode", "--digest", "sha1"], ["--environment", "xcode", "--volume-purchase"],
        ])
    func wrongUsage(_ options: [String]) throws {
        let folder = try TemporaryFolder()
        let result = try CommandLineTool.run(
            ["make", "--bundle-id", "com.example.app", "--out", folder.path] + options)
        #expect(result.status == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
