import AppReceiptSupport
import TestSupport
import Testing

@Suite("PEM armor")
struct PEMTests {
    private func read(_ text: String) throws(PEMBlock.Fault) -> (label: String, bytes: [UInt8], rest: String) {
        let (block, rest) = try PEMBlock.read(Array(text.utf8)[...])
        return (block.label, block.bytes, String(decoding: rest, as: UTF8.self))
    }

    /// The fault of reading the block, or nil.
    private func fault(_ text: String) -> String? {
        do throws(PEMBlock.Fault) {
            _ = try read(text)
            return nil
        } catch {
            switch error {
            case .armor: return "armor"
            case .body: return "body"
            }
        }
    }

    @Test("A block has its label and bytes, with any line breaks", arguments: ["\n", "\r\n", ""])
    func block(lineBreak: String) throws {
        let octets = [UInt8](0...200)
        let block = try read(octets.pem("PKCS7", lineBreak: lineBreak))
        #expect(block.label == "PKCS7")
        #expect(block.bytes == octets)
        #expect(block.rest == "")
    }

    @Test("The text after a block is returned without leading whitespace")
    func rest() throws {
        let block = try read("-----BEGIN A-----\nZm9v\n-----END A-----\r\n \tnext\n")
        #expect(block.bytes == Array("foo".utf8))
        #expect(block.rest == "next\n")
    }

    @Test("The first of two blocks is read, and the second is the rest")
    func twoBlocks() throws {
        let second = "-----BEGIN B-----\nYmFy\n-----END B-----\n"
        let first = try read("-----BEGIN A-----\nZm9v\n-----END A-----\n" + second)
        #expect(first.label == "A")
        #expect(first.rest == second)
        #expect(try read(first.rest).label == "B")
    }

    @Test(
        "Incomplete armor and an END line with another label are rejected",
        arguments: [
            "", "-----BEGIN ", "-----BEGIN A", "-----BEGIN A-----\nZm9v\n", "-----BEGIN A-----\nZm9v\n-----END A----",
            "-----BEGIN A-----\nZm9v\n-----END B-----\n", "-----END A-----\n-----BEGIN A-----\nZm9v\n",
            "----BEGIN A-----\nZm9v\n-----END A-----\n",
        ])
    func brokenArmor(text: String) {
        #expect(fault(text) == "armor")
    }

    @Test("A label has at most 64 characters", arguments: [(64, nil), (65, "armor")] as [(Int, String?)])
    func labelLength(length: Int, expected: String?) {
        #expect(fault([0x30].pem(String(repeating: "A", count: length))) == expected)
    }

    @Test(
        "A body that isn't base64 is rejected",
        arguments: [("Zm9v", nil), ("Zm9", "body"), ("Proc-Type: 4", "body")] as [(String, String?)])
    func body(text: String, expected: String?) {
        #expect(fault("-----BEGIN A-----\n\(text)\n-----END A-----\n") == expected)
    }

    @Test(
        "Only text that starts with BEGIN is plausible",
        arguments: [("-----BEGIN CMS-----", true), ("-----BEGIN", false), ("----- BEGIN CMS", false), ("MII", false)])
    func plausible(text: String, isPlausible: Bool) {
        #expect(PEMBlock.isPlausible(Array(text.utf8)[...]) == isPlausible)
    }
}
