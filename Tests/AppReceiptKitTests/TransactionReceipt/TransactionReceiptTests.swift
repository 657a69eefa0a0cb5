import AppReceiptTesting
import Foundation
import TestSupport
import Testing

@testable import AppReceiptKit

@Suite("TransactionReceipt")
struct TransactionReceiptTests {
    private static let made = TestTransactionReceipt("com.example.pro", transaction: "1000000181298734")

    private static func parsed(
        _ change: (inout TestTransactionReceipt) -> Void = { _ in }
    ) throws -> TransactionReceipt {
        try TransactionReceipt(parsing: made.with(change).signed()[...])
    }

    private static func rejection(_ bytes: [UInt8]) -> ReceiptError? {
        captured { () throws(ReceiptError) in try TransactionReceipt(parsing: bytes[...]) }
    }

    private static func rejection(
        _ change: (inout TestTransactionReceipt) -> Void
    ) throws -> ReceiptError? {
        rejection(try made.with(change).signed())
    }

    @Test("A receipt is parsed without being verified")
    func reads() throws {
        let receipt = try Self.parsed()
        #expect(receipt.bundleIdentifier == "com.example.app")
        #expect(receipt.info["product-id"] == "com.example.pro")
        #expect(receipt.purchaseDate == instant("2015-11-18T04:34:41Z"))
        #expect(receipt.purchase.expirationDate == nil)
        #expect(receipt.claimedEnvironment == "Sandbox")
    }

    @Test("A receipt contains a signature and purchase info in base64")
    func incomplete() throws {
        let whole = try StringPropertyList(parsing: Self.made.signed()[...]).entries
        for key in ["signature", "purchase-info"] {
            let rest = whole.filter { $0.key != key }.map { TestTransactionReceipt.Entry(key: $0.key, value: $0.value) }
            for entries in [rest, rest + [.init(key: key, value: "a b")], rest + [.init(key: key, value: "AAA")]] {
                let bytes = TestTransactionReceipt.propertyList(entries)
                #expect(Self.rejection(bytes)?.code == .transactionReceiptIncomplete, "\(key)")
            }
        }
    }

    @Test("A malformed purchase info is rejected without an offset, which would refer to the outer list")
    func malformedInfo() throws {
        let error = try Self.rejection { $0.purchaseInfoText = Array("{\"a\" = 1;}".utf8) }
        #expect(error?.code == .transactionReceiptMalformed)
        #expect(error?.offset == nil)
        #expect(error?.message.hasPrefix("In the purchase info") == true)
        let duplicate = try Self.rejection { $0.purchaseInfo.append(.init(key: "bid", value: "com.example.other")) }
        #expect(duplicate?.code == .transactionReceiptKeyDuplicate)
    }

    @Test("A receipt has at most 64 KiB")
    func size() throws {
        let bytes = try Self.made.signed()
        let padding = [UInt8](repeating: 0x20, count: 65_536 - bytes.count)
        #expect(Self.rejection(bytes + padding) == nil)
        #expect(Self.rejection(bytes + padding + [0x20])?.code == .transactionReceiptTooLarge)
    }

    @Test("The purchase date is the one in milliseconds or otherwise the formatted one, and is required")
    func purchaseDate() throws {
        #expect(
            try Self.parsed { $0["purchase-date-ms"] = "1447821281123" }.purchaseDate
                == instant("2015-11-18T04:34:41.123Z"))
        #expect(try Self.parsed { $0["purchase-date-ms"] = nil }.purchaseDate == instant("2015-11-18T04:34:41Z"))
        let none = try Self.rejection {
            $0["purchase-date-ms"] = nil
            $0["purchase-date"] = nil
        }
        #expect(none?.code == .transactionReceiptDateMalformed)
    }

    @Test(
        "A malformed date is rejected, even if another one is valid",
        arguments: [
            "", "-1", "today", "2015-11-18 04:34:41", "2015-11-18  04:34:41 Etc/GMT", "2015-11-18T04:34:41Z",
            "2015-11-18 04:34:41 America/Los_Angeles", "9999999999999999",
        ])
    func malformedDates(_ text: String) throws {
        #expect(try Self.rejection { $0["purchase-date-ms"] = text }?.code == .transactionReceiptDateMalformed)
        #expect(try Self.rejection { $0["expires-date"] = text }?.code == .transactionReceiptDateMalformed)
    }

    @Test("The purchase has the values of an app receipt's purchase")
    func purchase() throws {
        let receipt = try Self.parsed {
            $0["app-item-id"] = "450542233"
            $0["expires-date"] = "1448346881000"
            $0["web-order-line-item-id"] = "1000000030938713"
        }
        #expect(receipt.appVersion == "1")
        #expect(receipt.appStoreIdentifier == 450_542_233)
        #expect(receipt.purchase.productIdentifier == "com.example.pro")
        #expect(receipt.purchase.quantity == 1)
        #expect(receipt.purchase.transactionIdentifier == "1000000181298734")
        #expect(receipt.purchase.originalTransactionIdentifier == "1000000181298734")
        #expect(receipt.purchase.purchaseDate == receipt.purchaseDate)
        #expect(receipt.purchase.originalPurchaseDate == receipt.purchaseDate)
        #expect(receipt.purchase.expirationDate == instant("2015-11-24T06:34:41Z"))
        #expect(receipt.purchase.webOrderLineItemIdentifier == 1_000_000_030_938_713)
        #expect(receipt.purchase.productStoreIdentifier == 1_028_950_797)
    }

    @Test(
        "The property list is accepted with whitespace or a byte order mark before it, and in base64 with line breaks")
    func forms() throws {
        let list = try Self.made.signed()
        let base64 = Data(list).base64EncodedString(options: .lineLength64Characters)
        for bytes in [[0x0A, 0x20] + list, [0xEF, 0xBB, 0xBF] + list, Array(base64.utf8)] {
            #expect(try TransactionReceipt(parsing: bytes) == TransactionReceipt(parsing: list))
        }
        for text in ["{}", "{\"receipt\": \"a\"}", "MIIA", "", "e"] {
            #expect(Self.rejection(Array(text.utf8))?.code == .inputUnrecognized)
        }
        #expect(Self.rejection([UInt8](repeating: 0x41, count: 131_073))?.code == .transactionReceiptTooLarge)
    }

    /// An identifier of a transaction and of the original, the unsigned environment, and the environment that results.
    typealias EnvironmentCase = (String?, String?, String?, AppStoreEnvironment?)

    private static let sandbox: [EnvironmentCase] = [
        ("1000000099708150", "1000000099708150", "Sandbox", .sandbox),
        ("1000000099708150", "1000000099708150", nil, .sandbox),
        ("1000000099708150", "1000000099708150", "Production", .sandbox),
        ("2000000012345678", "2000000012345678", nil, .sandbox),
        ("1000000099708150", nil, "Xcode", .sandbox), ("1000000099708150", "350000245250525", nil, .sandbox),
        ("350000245250525", "1000000099708150", "Production", .sandbox),
        (nil, "2000000012345678", nil, .sandbox), ("350000245250525", "350000245250525", "Sandbox", .sandbox),
        (nil, nil, "Sandbox", .sandbox), ("x", nil, "Sandbox", .sandbox),
    ]

    private static let production: [EnvironmentCase] = [
        ("350000245250525", "350000245250525", nil, .production), ("350000245250525", nil, nil, .production),
        ("350000245250525", "350000245250525", "Production", .production),
        ("10000000997081", nil, nil, .production), ("100000009970815", nil, nil, .production),
        ("100000009970815012", nil, nil, .production), ("1100000099708150", nil, nil, .production),
    ]

    private static let unknown: [EnvironmentCase] = [
        (nil, nil, nil, nil), (nil, nil, "Production", nil), (nil, "350000245250525", nil, nil), ("", nil, nil, nil),
        ("x", nil, nil, nil), ("0", nil, nil, nil), ("0350000245250525", nil, nil, nil), ("-35", nil, nil, nil),
        ("350000245250525 ", nil, nil, nil), ("350000245250525", "x", nil, nil), ("\u{0663}5", nil, nil, nil),
        ("350000245250525", nil, "production", nil), ("350000245250525", nil, "", nil),
        ("350000245250525", nil, "Xcode", nil),
    ]

    @Test(
        "The signed transaction identifiers determine the environment, and an unsigned line only moves it to the sandbox",
        arguments: sandbox + production + unknown)
    func environment(_ testCase: EnvironmentCase) throws {
        let (transaction, original, line, expected) = testCase
        for item in [nil, "450542233"] {
            let receipt = try Self.parsed {
                $0["app-item-id"] = item
                $0["transaction-id"] = transaction
                $0["original-transaction-id"] = original
                $0.unsignedEntries = line.map { [.init(key: "environment", value: $0)] } ?? []
            }
            #expect(receipt.environment == expected)
        }
    }
}
