import AppReceiptKit
import AppReceiptParsing
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@Suite("Errors")
struct ReceiptErrorTests {
    // MARK: One error

    @Test("Errors are equal if their codes are equal")
    func equality() {
        let one = ReceiptError(.encodingTruncated, offset: 1)
        let other = ReceiptError(.encodingTruncated, check: .payload, offset: 2, "Another sentence.")
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one != ReceiptError(.encodingTooDeep, offset: 1))
    }

    @Test("An error has the check and message of its code by default")
    func defaults() {
        let plain = ReceiptError(.inputEmpty)
        #expect(plain.code == .inputEmpty)
        #expect(plain.check == .input)
        #expect(plain.offset == nil)
        #expect(plain.message == ReceiptError.Code.inputEmpty.cause)
        #expect(plain.remedy == ReceiptError.Code.inputEmpty.remedy)
        let own = ReceiptError(.encodingTruncated, check: .payload, offset: 7, "A sentence.")
        #expect(own.check == .payload)
        #expect(own.offset == 7)
        #expect(own.message == "A sentence.")
        #expect(own.remedy == ReceiptError.Code.encodingTruncated.remedy)
    }

    @Test("The description has the message, the code and, where known, the offset")
    func description() {
        #expect(ReceiptError(.inputEmpty, "A sentence.").description == "A sentence. [input-empty]")
        #expect(
            ReceiptError(.encodingTruncated, offset: 12, "A sentence.").description
                == "A sentence. [encoding-truncated, at byte 12]")
    }

    @Test("Each check of receipts and signed data has a stable name, and those of receipts a stable order")
    func checks() {
        let receiptChecks = ValidationCheck.receiptChecks.map(\.rawValue)
        #expect(
            receiptChecks == [
                "container", "payload", "certificate-chain", "signature", "bundle-identifier", "environment",
                "app-version", "original-app-version", "device-hash", "expiration",
            ])
        #expect(
            Set(([.input] + ValidationCheck.signedDataChecks).map(\.rawValue)).subtracting(receiptChecks) == [
                "input", "token", "app-apple-id", "device-verification", "nested-data",
            ])
    }

    // MARK: All codes

    static let lists = [
        "AppReceiptParsing": ReceiptError.Code.parsingCodes,
        "AppReceiptKit/Trust": ReceiptError.Code.trustCodes,
        "AppReceiptKit/Validation": ReceiptError.Code.checkCodes,
        "AppReceiptParsing/TransactionReceipt": ReceiptError.Code.transactionReceiptParsingCodes,
        "AppReceiptKit/TransactionReceipt": ReceiptError.Code.transactionReceiptChainCodes,
        "AppStoreSignedData": ReceiptError.Code.signedDataCodes,
        "VerifyReceipt": ReceiptError.Code.verifyReceiptCodes,
        "AppReceiptTesting": ReceiptError.Code.testingCodes,
    ]

    static let allCodes = ReceiptError.Code.allCodes + ReceiptError.Code.testingCodes

    /// The raw values of the public constants in files named `ReceiptErrorCode+….swift`, in order, by folder.
    private func codesInSources() throws -> [String: [String]] {
        let sources = TestDirectories.package.appendingPathComponent("Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        var codes: [String: [String]] = [:]
        for path in paths where path.contains("/ReceiptErrorCode+") {
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            let folder = (path as NSString).deletingLastPathComponent
            codes[folder, default: []] += text.components(separatedBy: "public static let ").dropFirst().map {
                // The raw value is the first literal after the name.
                $0.components(separatedBy: "\"").dropFirst().first ?? $0
            }
        }
        return codes
    }

    @Test("Every code in the sources is in the list of its folder, in the same order")
    func complete() throws {
        let sources = try codesInSources()
        #expect(Set(sources.keys) == Set(Self.lists.keys))
        for (folder, codes) in Self.lists { #expect(sources[folder] == codes.map(\.rawValue)) }
        #expect(Set(Self.allCodes) == Set(Self.lists.values.joined()))
    }

    @Test("The localized description contains the code and the offset")
    func localized() {
        let error: any Error = ReceiptError(.encodingTruncated, offset: 7)
        #expect(error.localizedDescription.contains("encoding-truncated, at byte 7"))
    }

    @Test("Raw values are unique")
    func unique() {
        #expect(Set(Self.allCodes.map(\.rawValue)).count == Self.allCodes.count)
    }

    @Test("Raw values are lowercase words and numbers separated by hyphens")
    func kebabCase() {
        let words = Set("abcdefghijklmnopqrstuvwxyz0123456789")
        for code in Self.allCodes {
            let parts = code.rawValue.split(separator: "-", omittingEmptySubsequences: false)
            #expect(parts.count >= 1, "\(code)")
            #expect(parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(words.contains) }, "\(code)")
        }
    }

    @Test("The cause and remedy of every code are full sentences")
    func sentences() {
        for code in Self.allCodes {
            for sentence in [code.cause, code.remedy] {
                #expect(sentence.hasSuffix("."), "\(code): \(sentence)")
                #expect(sentence.first?.isUppercase == true, "\(code): \(sentence)")
                #expect(sentence.contains(" "), "\(code)")
            }
            #expect(code.description == code.rawValue)
        }
    }

    @Test("Codes are equal if their raw values are equal")
    func codeEquality() {
        #expect(ReceiptError.Code.inputEmpty == .inputEmpty)
        #expect(ReceiptError.Code.inputEmpty != .inputTooLarge)
        #expect(Set([ReceiptError.Code.inputEmpty, .inputEmpty]).count == 1)
    }

    @Test("A code can be compared with a stored string and is encoded as its raw value")
    func storedCodes() throws {
        let stored = ReceiptError.Code.containerMultipleSigners.rawValue
        #expect(stored == "container-multiple-signers")
        #expect(ReceiptError.Code(rawValue: stored) == ReceiptError(.containerMultipleSigners).code)
        #expect(ReceiptError.Code(rawValue: stored).hashValue == ReceiptError.Code.containerMultipleSigners.hashValue)
        #expect(ReceiptError.Code(rawValue: "of-a-later-release") != .containerMultipleSigners)
        let encoded = try JSONEncoder().encode([ReceiptError.Code.containerMultipleSigners])
        #expect(String(decoding: encoded, as: UTF8.self) == "[\"container-multiple-signers\"]")
        #expect(try JSONDecoder().decode([ReceiptError.Code].self, from: encoded) == [.containerMultipleSigners])
    }

    @Test("The codes of parsing have the checks of parsing")
    func parsingChecks() {
        for code in ReceiptError.Code.parsingCodes {
            let prefix = code.rawValue.split(separator: "-").first.map(String.init) ?? ""
            let expected: ValidationCheck =
                ["input": .input, "encoding": .container, "container": .container][prefix] ?? .payload
            #expect(code.check == expected, "\(code)")
        }
    }
}
