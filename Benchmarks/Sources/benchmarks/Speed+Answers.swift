import AppReceiptKit
import Foundation
import VerifyReceipt

extension Speed {
    /// Adds the server's answers without HTTP and without state: from the bytes of a request to `/verifyReceipt`, and
    /// from the base64 of a request to `/v1/receipts/validate`, to the bytes of the response.
    mutating func addAnswers(_ series: ReceiptSeries, _ name: String) throws {
        let verifier = ReceiptVerifier(anchors: try TrustAnchors(der: [series.root]))
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let texts = series.receipts.map { Data($0).base64EncodedString() }
        let requests = texts.map { Array(#"{"receipt-data":"\#($0)","exclude-old-transactions":false}"#.utf8) }
        let responder = VerifyReceiptResponder(verifier: verifier, environments: .both)
        add("answer-verifyreceipt-\(name)", variants: requests.count) { index in
            let response = responder.response(to: requests[index], now: now)
            // The response contains the base64 of the receipt.
            guard response.status == .valid, response.body.count > texts[index].utf8.count else {
                throw Wrong(description: "answer-\(name): status \(response.status)")
            }
        }
        let contents = texts.map { Array($0.utf8)[...] }
        let expectations = Expectations(bundleIdentifier: "com.example.app.benchmarks", environments: [.production])
        add("answer-validate-\(name)", variants: contents.count) { index in
            let report = verifier.report(contents[index], expecting: expectations, now: now)
            guard report.isValid, report.json().count > contents[index].count / 4 else {
                throw Wrong(description: "answer-validate-\(name): invalid")
            }
        }
    }
}
