import AppReceiptSupport
import Testing

@Suite("ArraySlice+Text")
struct ArraySliceTextTests {
    @Test(
        "Whitespace is removed from the ends only",
        arguments: [("", ""), (" \t\r\n", ""), ("a", "a"), (" a b\n", "a b"), ("a ", "a"), ("\na", "a")])
    func trimming(text: String, expected: String) {
        #expect(Array(text.utf8)[...].trimmingWhitespace.elementsEqual(expected.utf8))
    }

    @Test(
        "A JWS has three segments and starts with a JSON object",
        arguments: [
            ("eyJ.e.s", true), ("eyJ..", true), ("eyJhbGciOiJFUzI1NiJ9.e30.c2ln", true), ("eyJ.e", false),
            ("eyJ.e.s.t", false), ("eyI.e.s", false), ("", false), (" eyJ.e.s", false), ("MII.e.s", false),
        ])
    func plausible(text: String, isPlausible: Bool) {
        #expect(Array(text.utf8)[...].isPlausibleJWS == isPlausible)
    }
}
