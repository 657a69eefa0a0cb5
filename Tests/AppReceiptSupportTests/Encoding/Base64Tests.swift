import AppReceiptSupport
import Foundation
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
    /// The result of decoding: the bytes as text, or the fault and its position.
    private func outcome(_ text: String) -> String {
        do throws(Base64.Fault) {
            return String(decoding: try Base64.decode(Array(text.utf8)[...]), as: UTF8.self)
        } catch {
            switch error {
            case .character(let position): return "character at \(position)"
            case .space(let position): return "space at \(position)"
            case .padding(let position): return "padding at \(position)"
            }
        }
    }

    @Test(
        "The examples of RFC 4648, section 10, are decoded",
        arguments: [
            ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ])
    func rfcExamples(text: String, octets: String) {
        #expect(outcome(text) == octets)
    }

    @Test("Encoded bytes of every length up to 70 are decoded")
    func everyLength() throws {
        for length in 0...70 {
            let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + length * 11) }
            #expect(try Base64.decode(Array(octets.base64.utf8)[...]) == octets)
        }
        let all = [UInt8](0...255)
        #expect(try Base64.decode(Array(all.base64.utf8)[...]) == all)
    }

    @Test(
        "Line breaks and adjacent spaces are skipped",
        arguments: [
            "Zm9v\nYmFy", "Zm9v\r\nYmFy\r\n", " Zm9vYmFy", "Zm9v\tYmFy", "Zm9v  \n \t YmFy \n", "Z\nm\n9vYmFy",
            "Zm9vYmFy\u{0B}\u{0C}",
        ])
    func whiteSpace(text: String) {
        #expect(outcome(text) == "foobar")
    }

    @Test(
        "A space in the middle of a line is rejected",
        arguments: [("Zm9v YmFy", 4), ("Zm9v  YmFy", 4), ("Zm9v\nYm Fy\n", 7), (" Zm 9vYmFy", 3)])
    func spaceInLine(text: String, position: Int) {
        #expect(outcome(text) == "space at \(position)")
    }

    @Test("Whitespace is skipped between and after padding", arguments: ["Zg=\n=", "Zg\n=\r\n=\r\n", "Zg== "])
    func whiteSpaceInPadding(text: String) {
        #expect(outcome(text) == "f")
    }

    @Test(
        "Missing padding is rejected",
        arguments: [("Zg", 2), ("Zg=", 3), ("Zm8", 3), ("Zm9vYg", 6), ("Z", 1), ("Zm9vY", 5)])
    func missingPadding(text: String, position: Int) {
        #expect(outcome(text) == "padding at \(position)")
    }

    @Test(
        "Misplaced padding is rejected",
        arguments: [
            ("=", 0), ("====", 0), ("Z===", 1), ("Zg===", 4), ("Zm8==", 4), ("Zm9v=", 4), ("Zm9v====", 4),
            ("Zg==Zg==", 4),
            ("Zg=v", 3),
        ])
    func misplacedPadding(text: String, position: Int) {
        #expect(outcome(text) == "padding at \(position)")
    }

    @Test(
        "Unused bits that aren't zero are rejected",
        arguments: [
            ("Zh==", 4), ("Zi==", 4), ("Zk==", 4), ("Zo==", 4), ("Zm9=", 4), ("Zm+=", 4), ("Zm9vYv==", 8),
        ])
    func trailingBits(text: String, position: Int) {
        #expect(outcome(text) == "padding at \(position)")
    }

    @Test(
        "Characters outside of the standard alphabet are rejected at their position",
        arguments: [
            ("-m9v", 0), ("Zm9_", 3), ("Zm9v\nYm,y", 7), ("Zm9v!", 4), ("Zm9v\0", 4), ("Zm9vé", 4), ("@m9v", 0),
            ("[m9v", 0), ("Z`9v", 1), ("Zm{v", 2),
        ])
    func alphabet(text: String, position: Int) {
        #expect(outcome(text) == "character at \(position)")
    }

    @Test("Every byte outside of the alphabet is rejected at each position of a long text")
    func alphabetInBlocks() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let skipped = Set<UInt8>([0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, UInt8(ascii: "=")])
        let text = Array(repeating: UInt8(ascii: "A"), count: 64)
        for byte in UInt8.min...UInt8.max where !skipped.contains(byte) {
            for position in 0..<32 {
                var changed = text
                changed[32 + position] = byte
                var fault: Int?
                var octets: [UInt8] = []
                do throws(Base64.Fault) { octets = try Base64.decode(changed[...]) } catch { fault = error.position }
                #expect(fault == (alphabet.contains(byte) ? nil : 32 + position), "byte \(byte)")
                #expect(fault != nil || octets.base64 == String(decoding: changed, as: UTF8.self))
            }
        }
    }

    @Test("Line breaks are skipped, and padding is rejected, at each position of a long text")
    func otherCharactersInBlocks() throws {
        let octets = (0..<72).map { UInt8(truncatingIfNeeded: $0 * 37) }
        let text = Array(octets.base64.utf8)
        for position in 0...64 {
            #expect(try Base64.decode((text[..<position] + [0x0A] + text[position...])[...]) == octets)
            #expect(try Base64.decode((text[..<position] + [0x0D, 0x0A, 0x20] + text[position...])[...]) == octets)
            #expect(throws: Base64.Fault.self) {
                try Base64.decode((text[..<position] + [UInt8(ascii: "=")] + text[position...])[...])
            }
        }
        let lines: [UInt8] = stride(from: 0, to: text.count, by: 4).flatMap { text[$0..<$0 + 4] + [0x0A] }
        #expect(try Base64.decode(lines[...]) == octets)
    }

    @Test("Positions are relative to the start of the slice")
    func positionsInSlices() throws {
        let slice = Array("??Zm9v".utf8).dropFirst(2)
        #expect(try Base64.decode(slice) == Array("foo".utf8))
        let malformed = Array("??Zm-v".utf8).dropFirst(2)
        var position: Int?
        do throws(Base64.Fault) { _ = try Base64.decode(malformed) } catch {
            if case .character(let at) = error { position = at }
        }
        #expect(position == 2)
    }

    @Test(
        "Only text of the alphabet, padding and whitespace is plausible",
        arguments: [
            ("Zm9v", true), ("Zm9v\r\n", true), ("=", true), ("+/", true), ("", false), ("Zm9v-", false),
            ("{\"a\":1}", false),
        ])
    func plausible(text: String, isPlausible: Bool) {
        #expect(Base64.isPlausible(Array(text.utf8)[...]) == isPlausible)
    }
}
