import AppReceiptSupport
import Testing

@Suite("String: joining")
struct StringJoiningTests {
    @Test("Texts are joined in order, with any length and any characters")
    func joining() {
        #expect(
            String(joining: "The ", "receipt", "", " is for ", "com.example.größe.😀", ".")
                == "The receipt is for com.example.größe.😀.")
        #expect(String(joining: "", "") == "")
        let long = String(repeating: "é", count: 1000)
        #expect(String(joining: long, "-", long) == long + "-" + long)
    }
}
