import AppReceiptKit
import AppReceiptTesting
import AppReceiptValidator
import Foundation
import Testing

@Suite("UnofficialReceipt")
struct UnofficialReceiptTests {
    private func parsed(_ change: (inout TestReceipt) -> Void = { _ in }) throws -> UnofficialReceipt {
        let data = Data(try TestReceipt().with(change).signed())
        return try AppReceiptValidator().parseUnofficialReceipt(origin: .data(data)).unofficialReceipt
    }

    private func value(
        _ number: UInt64, _ receipt: UnofficialReceipt
    ) throws -> UnofficialReceipt.Entry.Value? {
        let entry = try #require(receipt.entries.first { $0.attributeNumber == number })
        #expect(entry.meaning == KnownUnofficialReceiptAttribute(rawValue: number))
        return entry.value
    }

    @Test("undocumented attributes are listed, documented ones are not")
    func lists() throws {
        let numbers = try parsed().entries.map(\.attributeNumber).sorted()
        #expect(numbers == [0, 1, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 18, 20, 25])
    }

    @Test("known attributes are decoded, unknown ones are bytes, empty ones nil")
    func values() throws {
        let day = TestReceipt().creationDate
        let receipt = try parsed {
            $0.environment = .productionVPP
            $0.volumePurchaseDate = day
            $0.volumePurchaseClientName = "school"
            $0.overrides[99] = [[1, 2, 3]]
        }
        #expect(try value(0, receipt) == .string("ProductionVPP"))
        #expect(try value(10, receipt) == .string("4+"))
        #expect(try value(22, receipt) == .date(day))
        #expect(try value(23, receipt) == .string("school"))
        #expect(try value(99, receipt) == .bytes(Data([1, 2, 3])))
        #expect(try value(8, try parsed()) == nil)
        #expect(try value(18, try parsed()) == .date(TestReceipt().originalPurchaseDate))
    }

    @Test(
        "the provisioning type is known or kept",
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

    @Test("a receipt without the attribute has no provisioning type")
    func withoutProvisioning() throws {
        #expect(try parsed { $0.overrides[0] = [] }.provisioningType == nil)
        #expect(try parsed { $0.overrides[0] = [[0x02, 0x01, 0x01]] }.provisioningType == nil)
    }

    @Test("it prints one attribute a line")
    func prints() throws {
        let receipt = try parsed()
        let lines = receipt.description.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines.contains("0 (provisioningType): \"ProductionSandbox\","))
        #expect(lines.contains("8 (date1): nil,"))
        #expect(lines.count == receipt.entries.count + 4)
    }
}
