import Testing

@testable import AppReceiptSupport

@Suite("EightCharacters")
struct EightCharactersTests {
    private func text(_ characters: EightCharacters) -> String { String(capacity: 8) { $0.append(characters) } }

    @Test("The last eight digits of a number are written with leading zeros")
    func digits() {
        let edges: [UInt32] = [0, 9, 10, 99, 100, 999, 1000, 9999, 10_000, 99_999_999, 100_000_000, .max]
        for number in edges + stride(from: 0, to: 100_000_000, by: 9973) {
            let expected = String(String(100_000_000 + UInt64(number % 100_000_000)).dropFirst())
            #expect(text(EightCharacters(lastDigitsOf: number)) == expected)
        }
    }

    @Test("Numbers of two digits are read, and other characters are rejected unless they are those of the form")
    func numbers() throws {
        let form = EightCharacters("00-00:00")
        for number in 0..<100 {
            let digits = (number < 10 ? "0" : "") + String(number)
            let text = ContiguousArray("x\(digits)-17:\(digits)x".utf8)
            let numbers = try #require(EightCharacters(text.span, at: 1).numbers(in: form))
            #expect([numbers[0], numbers[3], numbers[6]] == [Int64(number), 17, Int64(number)])
        }
        let text = ContiguousArray("98-76:54".utf8)
        for position in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[position] = byte
                let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                let isAccepted = position == 2 || position == 5 ? byte == text[position] : isDigit
                #expect((EightCharacters(changed.span, at: 0).numbers(in: form) != nil) == isAccepted)
            }
        }
    }

    @Test("Leading zeros are counted and left out")
    func leadingZeros() {
        var number: UInt32 = 0
        for zeros in (0..<8).reversed() {
            number = number * 10 + 5
            let characters = EightCharacters(lastDigitsOf: number)
            #expect(characters.leadingZeros == zeros)
            #expect(String(capacity: 8) { $0.append(characters, droppingFirst: zeros) } == String(number))
        }
        #expect(EightCharacters(lastDigitsOf: 0).leadingZeros == 8)
        #expect(String(capacity: 8) { $0.append(digits: 0 as UInt64) } == "0")
    }

    @Test("A number below 100 replaces the zeros at its position")
    func positions() {
        for number in 0..<UInt32(100) {
            let digits = (number < 10 ? "0" : "") + String(number)
            let template = EightCharacters("00:00:00")
            #expect(text(template.replacingZeros(at: 0, with: number)) == digits + ":00:00")
            #expect(text(template.replacingZeros(at: 3, with: number)) == "00:" + digits + ":00")
            #expect(text(template.replacingZeros(at: 6, with: number)) == "00:00:" + digits)
        }
    }
}
