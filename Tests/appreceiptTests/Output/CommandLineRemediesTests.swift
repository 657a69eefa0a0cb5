import AppReceiptKit
import AppStoreSignedData
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@testable import appreceipt

@Suite("CommandLineRemedies")
struct CommandLineRemediesTests {
    /// Words of the Swift API.
    private static let foreign = ["`", "Limits", "Verifier", "Bundle.", "Swift", ".any", "responder", "aise the limit"]

    @Test("No remedy on the command line names Swift API")
    func remedies() {
        let codes = ReceiptError.Code.allCodes
        #expect(codes.count > 100)
        for code in codes {
            let remedies = CommandLineRemedies.remedies(for: code.rawValue, code.remedy)
            #expect(!remedies.isEmpty)
            for remedy in remedies {
                #expect(remedy.hasSuffix("."), "\(code)")
                for word in Self.foreign { #expect(!remedy.contains(word), "\(code): \(remedy)") }
            }
        }
    }

    @Test(
        "An untrusted chain has one sentence about test data",
        arguments: [ReceiptError.Code.rootNotTrusted, .signerSelfSigned, .intermediateSignatureInvalid])
    func untrustedChains(code: ReceiptError.Code) {
        let remedies = CommandLineRemedies.remedies(for: code.rawValue, code.remedy)
        #expect(remedies.filter { $0.contains("test data") }.count == 1)
    }

    @Test("Only an invalid signature is called forged: with another --root, genuine data has an untrusted root")
    func forged() {
        let remedy = { (code: ReceiptError.Code) in CommandLineRemedies.remedy(for: code.rawValue, code.remedy) }
        #expect(remedy(.intermediateSignatureInvalid).hasPrefix("Treat it as forged."))
        #expect(!remedy(.rootNotTrusted).contains("forged"))
        #expect(remedy(.rootNotTrusted).contains("--root apple adds them"))
        #expect(!remedy(.signerSelfSigned).contains("forged"))
    }

    @Test("The remedy for base64 names the forms that are accepted")
    func base64() {
        let remedies = CommandLineRemedies.remedies(for: "input-base64-malformed", "")
        #expect(remedies.contains { $0.contains("URL-safe") && !$0.contains("padding") })
    }

    @Test("Several errors have each remedy and each link once")
    func lines() {
        let errors = [ReceiptError.Code.encodingTooDeep, .encodingLeftover, .encodingTooDeep]
        let lines = CommandLineRemedies.lines(for: errors.map { ($0.rawValue, $0.remedy) })
        #expect(
            lines == [
                errors[0].remedy, "See docs/errors.md#encoding-too-deep", "See docs/errors.md#encoding-leftover",
            ])
    }
}
