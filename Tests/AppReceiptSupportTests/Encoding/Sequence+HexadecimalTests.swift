import AppReceiptSupport
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("Each byte has two digits, with the given separator and letter case")
    func digits() {
        let bytes: [UInt8] = [0x00, 0x0A, 0x9F, 0xFF]
        #expect(bytes.hexadecimal() == "000a9fff")
        #expect(bytes.hexadecimal(separator: ":") == "00:0a:9f:ff")
        #expect(bytes.hexadecimal(uppercase: true) == "000A9FFF")
        #expect([UInt8]().hexadecimal(separator: " ").isEmpty)
    }

    @Test("Only the ASCII digits and the letters A to F have a value")
    func values() {
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            #expect(byte.hexadecimalDigitValue.map(Int.init) == character.hexDigitValue)
        }
    }
}
