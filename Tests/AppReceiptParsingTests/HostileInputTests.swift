import AppReceiptParsing
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

/// The compiler guarantees that parsing only throws `ReceiptError`. These tests check that it never traps and that
/// every error is plausible.
@Suite("Hostile input")
struct HostileInputTests {
    private static let receipt = TestReceipt().with {
        $0.environment = .production
        $0.purchases = [
            TestPurchase("com.example.coins", transaction: "1", at: $0.creationDate, type: .consumable),
            TestPurchase(
                subscription: "com.example.pro", transaction: "2", from: $0.creationDate,
                to: $0.creationDate.addingTimeInterval(2_678_400)),
        ]
    }

    /// The error of parsing `bytes`, or nil.
    private func failure(_ bytes: some Collection<UInt8>) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try AppReceipt(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Whether an error of parsing `count` bytes has a check of parsing, an offset within the bytes, and a full
    /// sentence as its message without contents of the receipt.
    private func isPlausible(_ error: ReceiptError, _ count: Int) -> Bool {
        [.input, .container, .payload].contains(error.check) && error.offset.map { (0...count).contains($0) } ?? true
            && error.message.hasSuffix(".") && !error.message.contains("example")
    }

    @Test("A DER receipt truncated at any length is rejected as truncated")
    func truncatedDER() throws {
        let bytes = try Self.receipt.signed()
        #expect(failure(bytes) == nil)
        for length in 0..<bytes.count {
            let expected: ReceiptError.Code = length == 0 ? .inputEmpty : .encodingTruncated
            if failure(bytes.prefix(length))?.code != expected {
                Issue.record("A prefix of \(length) bytes doesn't fail with \(expected).")
            }
        }
    }

    @Test("A BER receipt truncated at any length is rejected")
    func truncatedBER() throws {
        let bytes = try Self.receipt.signedLikeXcode()
        #expect(failure(bytes) == nil)
        for length in 0..<bytes.count where failure(bytes.prefix(length)) == nil {
            Issue.record("A prefix of \(length) of \(bytes.count) bytes is accepted.")
        }
    }

    @Test("A payload truncated at any length is rejected")
    func truncatedPayload() throws {
        let payload = Self.receipt.payload
        #expect(try AppReceipt(payload: payload[...]).purchases.count == 2)
        for length in 0..<payload.count {
            var error: ReceiptError?
            do throws(ReceiptError) { _ = try AppReceipt(payload: payload.prefix(length)) } catch let failure {
                error = failure
            }
            if error?.check != .payload { Issue.record("A prefix of \(length) of \(payload.count) bytes is accepted.") }
        }
    }

    #if DEBUG
    /// Debug builds test every seventh length, because a thousand lengths take a second.
    private static let interval = 7
    #else
    private static let interval = 1
    #endif

    @Test("Text truncated at any length is rejected", arguments: [false, true])
    func truncatedText(pem: Bool) throws {
        let bytes = try Self.receipt.signed()
        let text = Array((pem ? bytes.pem("PKCS7") : bytes.base64).utf8)
        #expect(failure(text) == nil)
        // The line break after the END line is optional.
        let end = pem ? text.count - 1 : text.count
        for length in stride(from: 0, to: end, by: Self.interval) where failure(text.prefix(length)) == nil {
            Issue.record("A prefix of \(length) of \(text.count) characters is accepted.")
        }
    }

    /// Bytes with a meaning as tags, lengths and end-of-contents marks.
    private static let significantBytes: [UInt8] = [
        0x00, 0x01, 0x02, 0x04, 0x05, 0x06, 0x0C, 0x16, 0x1F, 0x24, 0x30, 0x31, 0x7F, 0x80, 0x81, 0x82, 0x84, 0x88,
        0xA0,
        0xA1, 0xFF,
    ]

    /// `bytes` with one to four bytes changed, doubled, removed or moved.
    private func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) where bytes.count > 8 {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            switch UInt8.random(in: 0..<8, using: &generator) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
            case 2: bytes.remove(at: position)
            case 3: bytes.insert(bytes[position], at: position)
            case 4:
                let end = min(bytes.count, position + Int.random(in: 1...40, using: &generator))
                bytes.insert(contentsOf: bytes[position..<end], at: Int.random(in: 0...bytes.count, using: &generator))
            case 5:
                bytes.removeSubrange(position..<min(bytes.count, position + Int.random(in: 1...40, using: &generator)))
            default: bytes[position] = Self.significantBytes.randomElement(using: &generator) ?? 0
            }
        }
        return bytes
    }

    /// The results of parsing many mutated inputs.
    private struct Outcome {
        var accepted = 0
        var codes: Set<ReceiptError.Code> = []
        /// Errors with a wrong check, offset or message.
        var implausible: [String] = []
    }

    private func run(
        _ bytes: [UInt8], rounds: Int, seed: UInt64, wrap: ([UInt8]) -> [UInt8] = { $0 }
    ) -> Outcome {
        var generator = SeededGenerator(seed: seed)
        var outcome = Outcome()
        for round in 0..<rounds {
            let mutant = wrap(mutate(bytes, &generator))
            guard let error = failure(mutant) else {
                outcome.accepted += 1
                continue
            }
            outcome.codes.insert(error.code)
            if !isPlausible(error, mutant.count) { outcome.implausible.append("round \(round): \(error)") }
        }
        return outcome
    }

    @Test("Mutating a receipt results in a receipt or a plausible error", arguments: [false, true])
    func mutatedReceipt(likeXcode: Bool) throws {
        let bytes = try likeXcode ? Self.receipt.signedLikeXcode() : Self.receipt.signed()
        let outcome = run(bytes, rounds: 3000, seed: likeXcode ? 2 : 1)
        // Parsing doesn't check the signature, so some changes are accepted.
        #expect(outcome.accepted > 0)
        #expect(outcome.codes.count >= 10)
        #expect(outcome.implausible.isEmpty)
    }

    @Test("Mutating a payload results in a receipt or a plausible error")
    func mutatedPayload() throws {
        let outcome = run(Self.receipt.payload, rounds: 3000, seed: 3) {
            ContainerParts(content: DERWriter.octetString($0)).bytes
        }
        #expect(outcome.accepted > 0)
        #expect(outcome.codes.count >= 10)
        #expect(outcome.implausible.isEmpty)
    }

    @Test("Mutating a payload of constructed strings results in a receipt or a plausible error")
    func mutatedPieces() throws {
        // Every string is constructed: the content, the values, the purchases and their values.
        func inPieces(_ attribute: ReceiptAttribute, _ value: [UInt8]) -> [UInt8] {
            DERWriter.indefinite(
                0x30,
                DERWriter.integer(UInt64(attribute.type)) + DERWriter.integer(1) + chunked(pieces(value, ofSize: 9)))
        }
        let whole = try AppReceipt(payload: Self.receipt.payload[...])
        var purchases = whole.purchases[...]
        let attributes = whole.attributes.map { attribute in
            guard attribute.type == 17, let purchase = purchases.popFirst() else {
                return inPieces(attribute, Array(attribute.value))
            }
            let members = purchase.attributes.map { inPieces($0, Array($0.value)) }
            return inPieces(attribute, DERWriter.indefinite(0x31, members.flatMap(\.self)))
        }
        let payload = DERWriter.indefinite(0x31, attributes.flatMap(\.self))
        let bytes = ContainerParts(content: chunked(pieces(payload, ofSize: 50))).bytes
        #expect(
            try AppReceipt(parsing: bytes).purchases.map(\.productIdentifier)
                == whole.purchases.map(\.productIdentifier))
        let inner = run(payload, rounds: 2000, seed: 4) {
            ContainerParts(content: DERWriter.octetString($0)).bytes
        }
        let outer = run(bytes, rounds: 1000, seed: 5)
        for outcome in [inner, outer] {
            #expect(outcome.accepted > 0)
            #expect(outcome.codes.count >= 10)
            #expect(outcome.implausible.first == nil)
        }
    }

    @Test("Mutating text results in a receipt or a plausible error", arguments: [false, true])
    func mutatedText(pem: Bool) throws {
        let bytes = try Self.receipt.signed()
        let outcome = run(Array((pem ? bytes.pem("CMS") : bytes.base64).utf8), rounds: 500, seed: 6)
        #expect(outcome.accepted < 500)
        #expect(!outcome.codes.isEmpty)
        #expect(outcome.implausible.isEmpty)
    }

    @Test("Random bytes that start like a receipt are rejected")
    func random() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<200, using: &generator)
            let noise = (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : Self.significantBytes.randomElement(using: &generator) ?? 0
            }
            if failure([0x30, 0x80] + noise) == nil { Issue.record("Random bytes are accepted.") }
        }
        #expect(failure([0x30, 0x80]) != nil)
    }
}
