import AppReceiptSupport
import Foundation
import TestSupport
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    private func decode(_ text: String) throws(Base64URL.Fault) -> [UInt8] {
        try Base64URL.decode(ArraySlice(text.utf8))
    }

    @Test("Encoding matches Foundation and is reversed by decoding, for every length")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 6)
        for length in 0..<200 {
            let octets = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = Base64URL.encode(octets)
            #expect(try decode(text) == octets)
            let expected = Data(octets).base64EncodedString().filter { $0 != "=" }
                .map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
            #expect(text == String(expected))
        }
    }

    @Test(
        "Malformed base64url is rejected at the position",
        arguments: [
            ("A", 1), ("AAAAA", 5), ("AA==", 2), ("AAA=", 3), ("A+AA", 1), ("AA/A", 2), (" AAA", 0), ("AAAA\n", 4),
            ("AB", 2),
            ("AAB", 3), ("AA\u{0}A", 2), ("ｅAAA", 0),
        ])
    func rejected(text: String, position: Int) {
        #expect(throws: Base64URL.Fault(position: position)) { try decode(text) }
    }

    @Test("Each byte sequence has one encoding only")
    func canonical() throws {
        // Four or two bits of the last character are unused and must be zero.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(alphabet.filter { (try? decode("A\($0)")) != nil } == ["A", "Q", "g", "w"])
        #expect(alphabet.filter { (try? decode("AA\($0)")) != nil }.count == 16)
    }
}
