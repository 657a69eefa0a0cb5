import AppReceiptKit
import AppStoreSignedData
import Foundation
import TestSupport
import Testing

@Suite(
    "Genuine signed data",
    .enabled(if: GenuineSignedData.arePresent, Comment(rawValue: GenuineSignedData.absence)))
struct GenuineSignedDataTests {
    /// A token and its expected properties.
    struct Token: CustomTestStringConvertible {
        let name: String
        let kind: SignedDataKind
        /// Nil for renewal information, which doesn't name an app.
        let bundleIdentifier: String?
        /// Nil for early tokens, which don't contain it.
        let environment: AppStoreEnvironment?
        /// The date the token was signed, in milliseconds since 1970.
        let signed: Int64

        var testDescription: String { name }

        func report(
            _ token: String, bundleIdentifier: AcceptedValues<String> = .anyBundle,
            environments: AcceptedValues<AppStoreEnvironment> = .anyEnvironment
        ) -> SignedDataReport {
            SignedDataVerifier().report(
                token, as: kind,
                expecting: SignedDataExpectations(
                    bundleIdentifier: bundleIdentifier, environments: environments, appAppleIdentifier: .anyApp),
                now: instant("2026-01-01T00:00:00Z"))
        }
    }

    static let tokens: [Token] = [
        Token(
            name: "notification-2021-987bbb", kind: .notification, bundleIdentifier: "com.tuyoo.testing",
            environment: .sandbox, signed: 1_681_124_919_844),
        Token(
            name: "notification-2021-a677d0", kind: .notification, bundleIdentifier: "com.Abilities",
            environment: .sandbox, signed: 1_662_122_492_884),
        Token(
            name: "renewal-info-2021-81ec7c", kind: .renewalInfo, bundleIdentifier: nil, environment: .sandbox,
            signed: 1_684_822_778_492),
        Token(
            name: "renewal-info-2021-c8dbc0", kind: .renewalInfo, bundleIdentifier: nil, environment: .sandbox,
            signed: 1_681_124_919_802),
        Token(
            name: "transaction-2021-cb88a4", kind: .transaction, bundleIdentifier: "club.omnichess.ios",
            environment: nil, signed: 1_636_465_081_044),
        Token(
            name: "transaction-2021-ce696f", kind: .transaction, bundleIdentifier: "club.omnichess.ios",
            environment: nil, signed: 1_636_465_081_044),
        Token(
            name: "notification-2023-b12fc7", kind: .notification, bundleIdentifier: "com.cynet.xingqi",
            environment: .sandbox, signed: 1_738_826_407_576),
        Token(
            name: "notification-2023-d0043a", kind: .notification, bundleIdentifier: "com.cynet.xingqi",
            environment: .sandbox, signed: 1_738_755_504_471),
        Token(
            name: "renewal-info-2023-1d9835", kind: .renewalInfo, bundleIdentifier: nil, environment: .sandbox,
            signed: 1_744_355_891_214),
        Token(
            name: "transaction-2023-d888f1", kind: .transaction, bundleIdentifier: "com.fx168.CoNETVPN1.CoNETVPN1",
            environment: .sandbox, signed: 1_757_988_598_952),
        Token(
            name: "transaction-2023-e81718", kind: .transaction, bundleIdentifier: "com.cynet.xingqi",
            environment: .sandbox, signed: 1_738_826_407_567),
        Token(
            name: "notification-2025-bfb70b", kind: .notification, bundleIdentifier: "com.loki-project.loki-messenger",
            environment: .sandbox, signed: 1_759_389_041_604),
        Token(
            name: "notification-2025-d360b3", kind: .notification, bundleIdentifier: "com.loki-project.loki-messenger",
            environment: .sandbox, signed: 1_759_727_785_445),
        Token(
            name: "renewal-info-2025-f807bf", kind: .renewalInfo, bundleIdentifier: nil, environment: .sandbox,
            signed: 1_760_591_792_087),
        Token(
            name: "renewal-info-2025-f81d4d", kind: .renewalInfo, bundleIdentifier: nil, environment: .sandbox,
            signed: 1_759_302_518_835),
        Token(
            name: "transaction-2025-a2a567", kind: .transaction, bundleIdentifier: "com.loki-project.loki-messenger",
            environment: .sandbox, signed: 1_759_388_776_941),
        Token(
            name: "transaction-2025-ba97c2", kind: .transaction, bundleIdentifier: "com.loki-project.loki-messenger",
            environment: .sandbox, signed: 1_759_388_855_473),
    ]

    @Test("A genuine token is valid under Apple's root at the date it was signed", arguments: tokens)
    func valid(_ expected: Token) throws {
        let token = try GenuineSignedData.token(expected.name)
        let report = expected.report(
            token, bundleIdentifier: expected.bundleIdentifier.map { [$0] } ?? .anyBundle,
            environments: expected.environment.map { .only([$0]) } ?? .anyEnvironment)
        #expect(report.failure == nil)
        #expect(report.validationDate == Date(timeIntervalSince1970: Double(expected.signed) / 1000))
        #expect(report.provenEnvironment == expected.environment)
    }

    @Test("A genuine token is invalid for another app or environment", arguments: tokens)
    func expectations(_ expected: Token) throws {
        let token = try GenuineSignedData.token(expected.name)
        #expect(expected.report(token, environments: .only([.production])).failure?.check == .environment)
        guard expected.bundleIdentifier != nil else { return }
        let foreign = expected.report(token, bundleIdentifier: ["com.example.app"])
        #expect(foreign.failure?.code == .bundleIdentifierMismatch)
    }

    @Test("A genuine token with one changed character is invalid, at any position", arguments: tokens)
    func alterations(_ expected: Token) throws {
        let token = Array(try GenuineSignedData.token(expected.name).utf8)
        // The last character of a segment may have unused bits.
        for position in stride(from: 0, to: token.count - 2, by: max(1, token.count / 40)) where token[position] != 0x2E
        {
            var altered = token
            altered[position] = altered[position] == 0x41 ? 0x42 : 0x41
            #expect(!expected.report(String(decoding: altered, as: UTF8.self)).isValid, "character \(position)")
        }
    }

    @Test("Genuine tokens result in the same entitlements in any order")
    func entitlements() throws {
        let expectations = SignedDataExpectations(
            bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
        let verifier = SignedDataVerifier()
        var transactions: [VerifiedTransaction] = []
        var renewals: [VerifiedRenewalInfo] = []
        for expected in Self.tokens {
            let token = try GenuineSignedData.token(expected.name)
            switch expected.kind {
            case .transaction: transactions.append(try verifier.verifyTransaction(token, expecting: expectations))
            case .renewalInfo: renewals.append(try verifier.verifyRenewalInfo(token, expecting: expectations))
            default:
                let notification = try verifier.verifyNotification(token, expecting: expectations)
                transactions += [notification.transaction].compactMap { $0 }
                renewals += [notification.renewalInfo].compactMap { $0 }
            }
        }
        func states(_ app: String, isReversed: Bool, at date: String) -> [String: Entitlement.State] {
            let entitlements = Entitlements(
                bundleIdentifier: app, environment: .sandbox,
                transactions: isReversed ? transactions.reversed() : transactions,
                renewals: isReversed ? renewals.reversed() : renewals, at: instant(date))
            return Dictionary(
                entitlements.all.map { ($0.productIdentifier, $0.state) }, uniquingKeysWith: { first, _ in first })
        }
        for isReversed in [false, true] {
            #expect(
                states("com.cynet.xingqi", isReversed: isReversed, at: "2025-02-07T00:00:00Z")
                    == ["cynet.coci.1usd": .owned, "cynet.coci.5usd": .refunded])
            #expect(
                states("com.cynet.xingqi", isReversed: isReversed, at: "2025-02-06T07:18:00Z")
                    == ["cynet.coci.1usd": .owned, "cynet.coci.5usd": .owned])
            #expect(
                states("com.fx168.CoNETVPN1.CoNETVPN1", isReversed: isReversed, at: "2025-10-01T00:00:00Z") == [
                    "006": .owned
                ])
            #expect(
                states("com.tuyoo.testing", isReversed: isReversed, at: "2023-04-10T11:06:00Z")
                    == ["com.tuyoo.testing.test008": .active])
            // The subscription expired, and days later the customer bought another product of the group.
            let loki = "com.loki-project.loki-messenger"
            #expect(
                states(loki, isReversed: isReversed, at: "2025-10-02T07:07:00Z") == [
                    "com.getsession.org.pro_sub": .active, "com.getsession.org.pro_sub_3_months": .notStarted,
                ])
            #expect(
                states(loki, isReversed: isReversed, at: "2025-10-06T05:20:00Z") == [
                    "com.getsession.org.pro_sub": .upgraded, "com.getsession.org.pro_sub_3_months": .active,
                ])
            #expect(
                states(loki, isReversed: isReversed, at: "2025-11-01T00:00:00Z") == [
                    "com.getsession.org.pro_sub": .upgraded, "com.getsession.org.pro_sub_3_months": .renewalUnknown,
                ])
            // Early tokens don't contain an environment, so they have no effect in any.
            #expect(states("club.omnichess.ios", isReversed: isReversed, at: "2021-11-10T00:00:00Z").isEmpty)
        }
    }
}
