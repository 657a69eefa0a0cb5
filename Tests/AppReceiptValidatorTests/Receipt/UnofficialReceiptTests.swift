import AppReceiptKit
import AppReceiptTesting
import AppReceiptValidator
import Foundation
import Testing

@Suite("UnofficialReceipt")
struct UnofficialReceiptTests {
    typealias Value = UnofficialReceipt.Entry.Value

    private func parsed(_ change: (inout TestReceipt) -> Void = { _ in }) throws -> UnofficialReceipt {
        let data = Data(try TestReceipt().with(change).signed())
        return try AppReceiptValidator().parseUnofficialReceipt(origin: .data(data)).unofficialReceipt
    }

    private func value(_ number: UInt64, _ receipt: UnofficialReceipt) throws -> Value? {
        let entry = try #require(receipt.entries.first { $0.attributeNumber == number })
        #expect(entry.meaning == KnownUnofficialReceiptAttribute(rawValue: number))
        return entry.value
    }

    @Test("Only undocumented attributes are listed")
    func lists() throws {
        let numbers = try parsed().entries.map(\.attributeNumber).sorted()
        #expect(numbers == [0, 1, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 18, 20, 25])
    }

    @Test("Attributes of known meaning are decoded, and empty ones are nil")
    func knownValues() throws {
        let day = TestReceipt().creationDate
        let receipt = try parsed {
            $0.environment = .productionVPP
            $0.volumePurchaseDate = day
            $0.volumePurchaseClientName = "school"
        }
        #expect(try value(0, receipt) == .string("ProductionVPP"))
        #expect(try value(10, receipt) == .string("4+"))
        #expect(try value(22, receipt) == .date(day))
        #expect(try value(23, receipt) == .string("school"))
        #expect(try value(8, try parsed()) == nil)
        #expect(try value(18, try parsed()) == .date(TestReceipt().originalPurchaseDate))
        let empty = try parsed { for number in [0, 8, 10, 22, 23] { $0.overrides[number] = [[0x0C, 0x00]] } }
        for number: UInt64 in [0, 8, 10, 22, 23] { #expect(try value(number, empty) == nil) }
    }

    static let unknownValues: [([UInt8], Value)] = [
        (DERWriter.utf8String("Größe 4"), .string("Größe 4")), (DERWriter.ia5String("4+"), .string("4+")),
        (Array("plain text".utf8), .string("plain text")), (Array("日本".utf8), .string("日本")),
        ([1, 2, 3], .bytes(Data([1, 2, 3]))), ([], .bytes(Data())), ([0x0C, 0x00], .string("")),
        (DERWriter.integer(7), .bytes(Data([2, 1, 7]))), ([0x50, 0xFF], .bytes(Data([0x50, 0xFF]))),
        (DERWriter.utf8String("a\nb"), .bytes(Data([0x0C, 3, 0x61, 0x0A, 0x62]))),
        ([0x0C, 1, 0xFF], .bytes(Data([0x0C, 1, 0xFF]))),
        ([0x0C, 1, 0x61, 0x62], .bytes(Data([0x0C, 1, 0x61, 0x62]))),
    ]

    @Test("An attribute of unknown meaning is a string if printable, otherwise bytes", arguments: unknownValues)
    func unknownMeaning(_ bytes: [UInt8], _ expected: Value) throws {
        #expect(try value(99, try parsed { $0.overrides[99] = [bytes] }) == expected)
    }

    @Test("Each repeated attribute has a value")
    func repeated() throws {
        let receipt = try parsed { $0.overrides[99] = [DERWriter.utf8String("b"), DERWriter.utf8String("a"), [0xFF]] }
        let values = receipt.entries.filter { $0.attributeNumber == 99 }.sorted().map(\.value)
        #expect(values == [.string("a"), .string("b"), .bytes(Data([0xFF]))])
    }

    static let undecodedValues: [(UInt64, [UInt8], Value)] = [
        (8, DERWriter.utf8String("yesterday"), .string("yesterday")),
        (18, DERWriter.ia5String("2024-13-01T00:00:00Z"), .string("2024-13-01T00:00:00Z")),
        (22, DERWriter.integer(7), .bytes(Data([2, 1, 7]))), (8, [0xFF], .bytes(Data([0xFF]))),
        (0, DERWriter.integer(1), .bytes(Data([2, 1, 1]))), (10, Array("4+".utf8), .string("4+")),
        (23, [], .bytes(Data())),
    ]

    @Test("An attribute of known meaning that doesn't decode is a string or bytes", arguments: undecodedValues)
    func undecoded(_ number: UInt64, _ bytes: [UInt8], _ expected: Value) throws {
        #expect(try value(number, try parsed { $0.overrides[Int(number)] = [bytes] }) == expected)
    }

    @Test(
        "A provisioning type is known or kept as its raw value",
        arguments: [
            (
                ReceiptEnvironment.production,
                KnownOrUnknown<UnofficialReceipt.ProvisioningType>.known(value: .production)
            ),
            (.productionSandbox, .known(value: .productionSandbox)), (.productionVPP, .known(value: .productionVPP)),
            (.productionVPPSandbox, .unknown(rawValue: "ProductionVPPSandbox")),
        ])
    func provisioning(
        _ environment: ReceiptEnvironment, _ expected: KnownOrUnknown<UnofficialReceipt.ProvisioningType>
    ) throws {
        #expect(try parsed { $0.environment = environment }.provisioningType == expected)
    }

    @Test("A receipt without the attribute has no provisioning type")
    func withoutProvisioning() throws {
        #expect(try parsed { $0.overrides[0] = [] }.provisioningType == nil)
        #expect(try parsed { $0.overrides[0] = [[0x02, 0x01, 0x01]] }.provisioningType == nil)
    }

    @Test("Entries are ordered by attribute number")
    func order() throws {
        let receipt = try parsed { $0.overrides[99] = [[1], [2]] }
        let sorted = receipt.entries.sorted()
        #expect(sorted.map(\.attributeNumber) == receipt.entries.map(\.attributeNumber).sorted())
        for (index, entry) in sorted.enumerated() {
            for (otherIndex, other) in sorted.enumerated() {
                #expect((entry < other) == (index < otherIndex), "\(entry), \(other)")
                #expect((entry == other) == (index == otherIndex), "\(entry), \(other)")
            }
        }
    }

    @Test("The description lists the entries in order, one a line")
    func prints() throws {
        let receipt = try parsed { $0.overrides[99] = [[1, 2, 3], DERWriter.utf8String("line")] }
        let lines = receipt.description.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.count == receipt.entries.count + 4)
        #expect(Array(lines.prefix(2)) == ["UnofficialReceipt(", "entries: ["])
        #expect(lines[2] == "0 (provisioningType): \"ProductionSandbox\",")
        #expect(lines.contains("8 (date1): nil,"))
        #expect(lines.contains("18 (date2): 2013-08-01T07:00:00Z,"))
        #expect(Array(lines.suffix(4)) == ["99: \"line\",", "99: base64: AQID", "]", ")"])
        let numbers = lines.compactMap { line in Int(line.prefix { $0.isNumber }) }
        #expect(numbers == receipt.entries.map { Int($0.attributeNumber) }.sorted())
    }

    @Test("A value prints on one line")
    func printsValues() {
        #expect(Value.string("a \"b\"\n").description == "\"a \\\"b\\\"\\u{a}\"")
        #expect(Value.date(Date(timeIntervalSince1970: 1_483_272_000)).description == "2017-01-01T12:00:00Z")
        #expect(Value.bytes(Data([1, 2, 3])).description == "base64: AQID")
    }
}
