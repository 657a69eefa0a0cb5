#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing
import AppReceiptSupport

@testable import AppReceiptServer

/// A request that is wrong is refused with a code and a sentence.
@Suite struct InspectorRequestTests {
    @Test(arguments: [
        ("", "inspector-request-malformed"), ("[]", "inspector-request-malformed"),
        ("{", "inspector-request-malformed"), ("{}", "inspector-request-malformed"),
        (#"{"input": "AAAA", "sample": "xcode"}"#, "inspector-request-malformed"),
        (#"{"input": "AAAA", "input": "AAAA"}"#, "inspector-request-malformed"),
        (#"{"input": "*"}"#, "inspector-request-malformed"),
        (#"{"input": "AAAA", "bundleID": "x"}"#, "inspector-request-malformed"),
        (#"{"input": 7}"#, "inspector-request-member-mistyped"),
        (#"{"input": null}"#, "inspector-request-member-mistyped"),
        (#"{"input": "AAAA", "bundleIdentifier": 7}"#, "inspector-request-member-mistyped"),
        (#"{"input": "AAAA", "environments": "production"}"#, "inspector-request-member-mistyped"),
        (#"{"input": "AAAA", "environments": ["Production"]}"#, "inspector-request-member-mistyped"),
        (#"{"input": "AAAA", "environments": [1]}"#, "inspector-request-member-mistyped"),
        (#"{"input": "AAAA", "complete": "yes"}"#, "inspector-request-member-mistyped"),
        (#"{"input": "AAAA", "devices": ["x"]}"#, "device-identifier-malformed"),
    ])
    func wrongRequestsAreRefused(body: String, code: String) throws {
        let refusal = try Asking().refusal(body)
        #expect(refusal == (400, code))
    }

    @Test func anUnknownSampleIsNotFound() throws {
        #expect(try Asking().refusal(#"{"sample": "../root"}"#) == (404, "inspector-sample-unknown"))
    }

    @Test func inputsHaveALimit() throws {
        var asking = try Asking()
        asking.inspector = Inspector(maximumInputBytes: 100)
        let large = Data(count: 101).base64EncodedString()
        #expect(try asking.refusal(#"{"input": "\#(large)"}"#) == (413, "input-too-large"))
        let larger = String(repeating: "A", count: asking.inspector.maximumBodyBytes)
        #expect(try asking.refusal(#"{"input": "\#(larger)"}"#) == (413, "input-too-large"))
        #expect(try asking.document(Data(count: 100))["verdict"] == "invalid")
    }

    @Test func noEnvironmentAtAllIsNotEveryEnvironment() throws {
        let bytes = try TestReceipt().signed()
        #expect(try Asking().document(bytes, ["environments": []]).check("environment")?["outcome"] == "failed")
        #expect(try Asking().document(bytes).check("environment")?["outcome"] == "skipped")
        #expect(try Asking().document(bytes, ["devices": []]).check("device-hash")?["outcome"] == "failed")
    }
}
#endif
