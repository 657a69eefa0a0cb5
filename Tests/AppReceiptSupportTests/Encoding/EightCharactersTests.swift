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
