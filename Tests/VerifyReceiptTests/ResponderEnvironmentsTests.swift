import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing
import VerifyReceipt

@Suite("VerifyReceiptResponder.Environments")
struct ResponderEnvironmentsTests {
    /// The statuses for a genuine receipt of one environment, by the responder's environments.
    struct Route: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let receipt: TestReceipt
        let production, sandbox, both: Int
        /// The environment in successful answers.
        let name: String?

        init(
            _ environment: String?, _ production: Int, _ sandbox: Int, _ both: Int, as name: String? = nil
        ) {
            testDescription = environment ?? "none"
            receipt = TestReceipt().with { receipt in
                if let environment {
                    receipt.environment = ReceiptEnvironment(rawValue: environment)
                } else {
                    receipt.overrides[0] = []
                }
            }
            (self.production, self.sandbox, self.both, self.name) = (production, sandbox, both, name)
        }

        func status(_ environments: VerifyReceiptResponder.Environments) -> Int {
            switch environments {
            case .production: production
            case .sandbox: sandbox
            case .both: both
            }
        }
    }

    static let routes = [
        Route("Production", 0, 21008, 0, as: "Production"),
        Route("ProductionVPP", 0, 21008, 0, as: "Production"),
        Route("ProductionSandbox", 21007, 0, 0, as: "Sandbox"),
        Route("ProductionVPPSandbox", 21007, 0, 0, as: "Sandbox"),
        Route("Sandbox", 21007, 0, 0, as: "Sandbox"),
        // The App Store signed it, so it can't be Xcode's.
        Route("Xcode", 21007, 21003, 21003),
        Route("production", 21007, 21003, 21003),
        Route("Production ", 21007, 21003, 21003),
        Route("", 21007, 21003, 21003),
        Route(nil, 21007, 21003, 21003),
    ]

    @Test("A genuine receipt is answered or redirected according to its environment", arguments: routes)
    func routing(_ route: Route) throws {
        for environments in VerifyReceiptResponder.Environments.allCases {
            try Self.check(
                try VerifyReceiptResponder.standard(environments).response(to: route.receipt), route, environments)
        }
    }

    @Test(
        "A receipt that Xcode signed is answered only by a responder for the sandbox, and never as production or sandbox"
    )
    func xcode() throws {
        let route = Route("Xcode", 21007, 0, 21003, as: "Xcode")
        let verifier = ReceiptVerifier(xcode: try XcodeTrust(der: [TestPKI.xcode.der()]))
        for environments in VerifyReceiptResponder.Environments.allCases {
            let responder = VerifyReceiptResponder(verifier: verifier, environments: environments)
            let response = responder.response(to: request(try route.receipt.signedLikeXcode()), now: requestDate)
            try Self.check(response, route, environments)
        }
    }

    private static func check(
        _ response: VerifyReceiptResponse, _ route: Route, _ environments: VerifyReceiptResponder.Environments
    ) throws {
        #expect(response.status.rawValue == route.status(environments), "\(environments)")
        #expect((response.failure == nil) == (response.status == .valid), "\(environments)")
        if response.status == .valid {
            #expect(response.json["environment"]?.string == route.name)
        } else {
            #expect(response.containsOnlyStatus)
            #expect(response.failure?.check == .environment)
        }
    }
}
