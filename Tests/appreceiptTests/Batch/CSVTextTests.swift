import AppReceiptSupport
import Testing

@testable import appreceipt

@Suite("CSVText")
struct CSVTextTests {
    private func record(_ values: AppStoreJSON...) -> String { String(decoding: CSVText.record(values), as: UTF8.self) }

    @Test("Values with commas, quotation marks and line breaks are quoted; others aren't changed")
    func quoting() {
        #expect(record("a", 7, true, .null) == "a,7,true,\r\n")
        #expect(record("a,b", "\"", "x\ny", "x\ry") == "\"a,b\",\"\"\"\",\"x\ny\",\"x\ry\"\r\n")
        #expect(record("=1+1", "-42", "@x", "+x", " x ") == "=1+1,-42,@x,+x, x \r\n")
    }

    @Test("A record of one empty value isn't an empty line")
    func emptyValue() { #expect(record(.null) == "\"\"\r\n") }

    @Test("What is written can be read")
    func reading() throws {
        let values: [AppStoreJSON] = ["a,\"b\"", "x\r\ny", .null, "ü"]
        var records = CSVRecords(CSVText.record(values)[...], firstLine: 1)
        let next = records.next(maxFields: 10)
        let record = try #require(next)
        #expect(record.fields.map(\.text) == values.map { $0.string ?? "" })
        #expect(record.isEnded)
        #expect(!record.isMalformed)
    }
}
