import AppReceiptKit
import AppReceiptTesting
import Foundation

extension FuzzTarget {
    /// The initial inputs: the attacks of the catalog and their twins, in the form of the target's input.
    func seeds() throws -> [[UInt8]] {
        switch self {
        case .input:
            try Attack.all.filter { $0.target == .input }.flatMap {
                try [$0.testCase().encoded(), $0.twin().encoded()]
            }
                + [Array("MDBw".utf8)]
        case .container: try receipts()
        case .payload: try Attack.all.filter { $0.target == .payload }.map { try content($0.testCase()) } + payloads()
        case .verifier: try [ReceiptTestCase().encoded()] + payloads() + receipts()
        case .dates:
            [
                "2024-07-02T15:04:05Z", "2024-07-02T15:04:05.123456789Z", "2020-07-22T18:33:15+0100",
                "0000-01-01T00:00:00+23:59",
                "9999-12-31T23:59:59.999-23:59", "2016-12-31T23:59:60Z", "2024-02-29t00:00:00z",
            ].map { Array($0.utf8) }
        case .devices:
            [
                "956328D9-CC6A-47F4-BE40-6953FB0AB6C7", "956328D9CC6A47F4BE406953FB0AB6C7", "f8:ff:c2:1e:91:82",
                "f8-ff-c2-1e-91-82",
                "f8ffc21e9182", "+P/CHpGC", "lWMo2cxqR/S+QGlT+wq2xw==",
            ].map { Array($0.utf8) }
        case .json:
            [
                "{\"a\":[1,-2.5e3,true,false,null,\"\\u00e9\\n\"],\"b\":{\"c\":{}}}", "[[[[]]]]", "\"\\ud83d\\ude00\"",
                "{\"a\":1,\"a\":2}",
            ].map { Array($0.utf8) }
        case .token: try SignedDataVerification.seeds()
        case .request: try RequestResponses.seeds()
        }
    }

    private func receipts() throws -> [[UInt8]] {
        let testCases = try Attack.all.filter {
            [.container, .encoding, .certificates, .chain, .signature, .signedAttributes].contains($0.target)
        }
        .flatMap { try [$0.testCase(), $0.twin()] }
        return try testCases.map { try $0.encoded() } + [TestReceipt().signedLikeXcode()]
    }

    private func payloads() throws -> [[UInt8]] {
        let start = TestReceipt().creationDate
        let purchases = [
            TestPurchase(subscription: "a", transaction: "1", from: start, to: start + 86_400, isTrial: true),
            TestPurchase(subscription: "a", transaction: "2", original: "1", from: start, to: start + 86_400),
            TestPurchase("b", transaction: "3", at: start).with { $0.cancellationDate = start },
        ]
        return [
            TestReceipt(), TestReceipt().with { $0.purchases = purchases },
            TestReceipt().with { $0.environment = .xcode },
        ].map(\.payload)
    }

    private func content(_ testCase: ReceiptTestCase) throws -> [UInt8] {
        var container = try TestContainer(content: testCase.receipt.payload, signedBy: testCase.pki)
        try testCase.container(&container)
        return container.content
    }
}
