import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@testable import VerifyReceipt

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
        #expect(receipt.expirationDate == nil)
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

    @Test(
        "An unsigned environment can contradict the signed info, but never move a purchase to another environment",
        arguments: [
            (nil, nil, nil), (nil, "Production", nil), (nil, "Sandbox", .sandbox), (nil, "Xcode", nil),
            ("0", nil, nil), ("x", nil, nil), ("450542233", nil, .production), ("450542233", "Production", .production),
            ("450542233", "Sandbox", nil), ("450542233", "production", nil), ("450542233", "", nil),
        ] as [(String?, String?, ReceiptEnvironment.Base?)])
    func environment(_ item: String?, _ claim: String?, _ expected: ReceiptEnvironment.Base?) throws {
        let receipt = try Self.parsed {
            $0["app-item-id"] = item
            $0.unsignedEntries = claim.map { [.init(key: "environment", value: $0)] } ?? []
        }
        #expect(receipt.environment == expected)
    }
}
