import AppReceiptParsing
import AppReceiptTesting
import Foundation
import TestSupport
import Testing

/// Reading throws `ReceiptError` and nothing else: the compiler holds that. What is left to see is that it does not
/// trap, and that its errors make sense whatever the bytes are.
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

    /// The error that parsing `bytes` gives.
    private func failure(_ bytes: some Collection<UInt8>) -> ReceiptError? {
        do throws(ReceiptError) {
            _ = try AppReceipt(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Whether an error of parsing so many bytes is of a stage of parsing, names a byte that is there, and says what
    /// it says in a sentence without anything from the receipt.
    private func makesSense(_ error: ReceiptError, _ count: Int) -> Bool {
        [.input, .container, .payload].contains(error.stage) && error.offset.map { (0...count).contains($0) } ?? true
            && error.message.hasSuffix(".") && !error.message.contains("example")
    }

    @Test("A receipt that is cut anywhere is refused, in DER as cut")
    func truncatedDER() throws {
        let bytes = try Self.receipt.signed()
        #expect(failure(bytes) == nil)
        for length in 0..<bytes.count {
            let expected: ReceiptError.Code = length == 0 ? .inputEmpty : .encodingTruncated
            if failure(bytes.prefix(length))?.code != expected { Issue.record("\(length) bytes are not \(expected).") }
        }
    }

    @Test("A receipt that is cut anywhere is refused, in BER too")
    func truncatedBER() throws {
        let bytes = try Self.receipt.signedLikeXcode()
        #expect(failure(bytes) == nil)
        for length in 0..<bytes.count where failure(bytes.prefix(length)) == nil {
            Issue.record("\(length) of \(bytes.count) bytes are taken for a receipt.")
        }
    }

    @Test("A payload that is cut anywhere is refused")
    func truncatedPayload() throws {
        let payload = Self.receipt.payload
        #expect(try AppReceipt(payload: payload[...]).purchases.count == 2)
        for length in 0..<payload.count {
            var error: ReceiptError?
            do throws(ReceiptError) { _ = try AppReceipt(payload: payload.prefix(length)) } catch let failure {
                error = failure
            }
            if error?.stage != .payload { Issue.record("\(length) of \(payload.count) bytes are taken for a payload.") }
        }
    }

    #if DEBUG
    /// Debug builds try one length in seven, because they take a second for each thousand.
    private static let interval = 7
    #else
    private static let interval = 1
    #endif

    @Test("Text that is cut anywhere is refused", arguments: [false, true])
    func truncatedText(pem: Bool) throws {
        let bytes = try Self.receipt.signed()
        let text = Array((pem ? bytes.pem("PKCS7") : bytes.base64).utf8)
        #expect(failure(text) == nil)
        // The line break after the END line is not needed.
        let end = pem ? text.count - 1 : text.count
        for length in stride(from: 0, to: end, by: Self.interval) where failure(text.prefix(length)) == nil {
            Issue.record("\(length) of \(text.count) characters are taken for a receipt.")
        }
    }

    /// Bytes that tag, measure and end elements.
    private static let telling: [UInt8] = [
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
            default: bytes[position] = Self.telling.randomElement(using: &generator) ?? 0
            }
        }
        return bytes
    }

    /// What became of many mutants.
    private struct Outcome {
        var accepted = 0
        var codes: Set<ReceiptError.Code> = []
        /// Errors that make no sense.
        var senseless: [String] = []
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
            if !makesSense(error, mutant.count) { outcome.senseless.append("round \(round): \(error)") }
        }
        return outcome
    }

    @Test("Changed bytes anywhere in a receipt give a receipt or an error", arguments: [false, true])
    func mutatedReceipt(likeXcode: Bool) throws {
        let bytes = try likeXcode ? Self.receipt.signedLikeXcode() : Self.receipt.signed()
        let outcome = run(bytes, rounds: 3000, seed: likeXcode ? 2 : 1)
        // The signature is not looked at, so that many a change is not noticed here.
        #expect(outcome.accepted > 0)
        #expect(outcome.codes.count >= 10)
        #expect(outcome.senseless.isEmpty)
    }

    @Test("Changed bytes anywhere in a payload give a receipt or an error")
    func mutatedPayload() throws {
        let outcome = run(Self.receipt.payload, rounds: 3000, seed: 3) {
            ContainerParts(content: DERWriter.octetString($0)).bytes
        }
        #expect(outcome.accepted > 0)
        #expect(outcome.codes.count >= 10)
        #expect(outcome.senseless.isEmpty)
    }

    @Test("Changed bytes anywhere in a payload that BER sends in pieces give a receipt or an error")
    func mutatedPieces() throws {
        // Every level in pieces: the content, the values, the purchases and the values of these.
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
            #expect(outcome.senseless.first == nil)
        }
    }

    @Test("Changed characters anywhere in text give a receipt or an error", arguments: [false, true])
    func mutatedText(pem: Bool) throws {
        let bytes = try Self.receipt.signed()
        let outcome = run(Array((pem ? bytes.pem("CMS") : bytes.base64).utf8), rounds: 500, seed: 6)
        #expect(outcome.accepted < 500)
        #expect(!outcome.codes.isEmpty)
        #expect(outcome.senseless.isEmpty)
    }

    @Test("Random bytes that start like a receipt give an error")
    func random() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<200, using: &generator)
            let noise = (0..<count).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : Self.telling.randomElement(using: &generator) ?? 0
            }
            if failure([0x30, 0x80] + noise) == nil { Issue.record("Noise is taken for a receipt.") }
        }
        #expect(failure([0x30, 0x80]) != nil)
    }
}
