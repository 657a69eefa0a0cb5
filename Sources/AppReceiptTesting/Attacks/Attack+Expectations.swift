import AppReceiptFoundation
import AppReceiptKit

// Genuine receipts that aren't for this app, environment, version, device or time.

extension Attack {
    static let expectationAttacks: [Attack] = [
        Attack(
            "another bundle identifier", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.a.b", expected: "com.a.c")),
        Attack(
            "a bundle identifier in another case", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.a.b", expected: "com.a.B")),
        Attack(
            "a longer bundle identifier", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.a.bc", expected: "com.a.b")),
        Attack(
            "a shorter bundle identifier", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.a", expected: "com.a.b")),
        Attack(
            "a bundle identifier followed by a zero byte", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.a.b\0", expected: "com.a.b")),
        Attack(
            "an expected bundle identifier followed by a space", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.a.b", expected: "com.a.b ")),
        // These strings compare equal in Swift, but their bytes differ.
        Attack(
            "a bundle identifier with a combining accent", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.cafe\u{301}", expected: "com.caf\u{E9}")),
        Attack(
            "a bundle identifier with a precomposed accent", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.caf\u{E9}", expected: "com.cafe\u{301}")),
        Attack(
            "a bundle identifier with the ångström sign", code: .bundleIdentifierMismatch, on: .expectations,
            harm: bundle("com.\u{212B}", expected: "com.\u{C5}")),
        Attack("no bundle identifier", code: .bundleIdentifierMissing, on: .expectations) {
            $0.receipt.overrides[2] = []
        },
        Attack(
            "an empty bundle identifier", code: .bundleIdentifierMissing, on: .expectations,
            harm: bundle("", expected: "com.a.b")),
        Attack(
            "an empty bundle identifier that is expected", code: .bundleIdentifierMissing, on: .expectations,
            harm: bundle("", expected: "")),
        Attack("a sandbox receipt where production is expected", code: .environmentMismatch, on: .expectations) {
            $0.expectations.environments = [.production]
        },
        Attack("a production receipt where sandbox is expected", code: .environmentMismatch, on: .expectations) {
            $0.receipt.environment = .production
        },
        Attack("a volume purchase receipt where sandbox is expected", code: .environmentMismatch, on: .expectations) {
            $0.receipt.environment = .productionVPP
        },
        Attack("no environment accepted", code: .environmentMismatch, on: .expectations) {
            $0.expectations.environments = []
        },
        Attack("no environment", code: .environmentMissing, on: .expectations) { $0.receipt.overrides[0] = [] },
        Attack("an empty environment", code: .environmentMissing, on: .expectations) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "")
        },
        Attack("an unknown environment", code: .environmentUnknown, on: .expectations) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "Staging")
            $0.expectations.environments = [.production, .sandbox, .xcode]
        },
        Attack("an environment in another case", code: .environmentUnknown, on: .expectations) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "PRODUCTION")
            $0.expectations.environments = [.production]
        },
        Attack("another version", code: .appVersionMismatch, on: .expectations) { $0.expectations.appVersion = "2" },
        Attack("a version that is numerically equal", code: .appVersionMismatch, on: .expectations) {
            $0.expectations.appVersion = "1.0"
        },
        Attack("a version that is canonically equivalent", code: .appVersionMismatch, on: .expectations) {
            $0.receipt.appVersion = "1\u{E9}"
            $0.expectations.appVersion = "1e\u{301}"
        },
        Attack("no version", code: .appVersionMissing, on: .expectations) {
            $0.receipt.overrides[3] = []
            $0.expectations.appVersion = "1"
        },
        Attack("another original version", code: .originalAppVersionMismatch, on: .expectations) {
            $0.expectations.originalAppVersion = "1"
        },
        Attack(
            "an original version that is canonically equivalent", code: .originalAppVersionMismatch, on: .expectations
        ) {
            $0.receipt.originalAppVersion = "e\u{301}"
            $0.expectations.originalAppVersion = "\u{E9}"
        },
        Attack("no original version", code: .originalAppVersionMissing, on: .expectations) {
            $0.receipt.overrides[19] = []
            $0.expectations.originalAppVersion = "1.0"
        },
        Attack("another device", code: .deviceHashMismatch, on: .expectations) {
            $0.receipt.device = device(1)
            $0.expectations.devices = [device(2)]
        },
        Attack("an empty list of devices", code: .deviceIdentifierMissing, on: .expectations) {
            $0.receipt.device = device(1)
            $0.expectations.devices = []
        },
        Attack("several other devices", code: .deviceHashMismatch, on: .expectations) {
            $0.receipt.device = device(1)
            $0.expectations.devices = [device(2), device(3), address]
        },
        Attack("another opaque value", code: .deviceHashMismatch, on: .expectations) {
            $0.receipt.device = device(1)
            $0.receipt.overrides[4] = [[1, 2, 3]]
            $0.expectations.devices = [device(1)]
        },
        Attack("no device hash", code: .deviceHashMissing, on: .expectations) {
            $0.receipt.overrides[5] = []
            $0.expectations.devices = [device(1)]
        },
        Attack("no opaque value", code: .deviceHashInputsMissing, on: .expectations) {
            $0.receipt.overrides[4] = []
            $0.expectations.devices = [device(1)]
        },
        Attack("no bundle identifier to hash", code: .deviceHashInputsMissing, on: .expectations) {
            $0.receipt.overrides[2] = []
            $0.expectations.bundleIdentifier = .anyBundle
            $0.expectations.devices = [device(1)]
        },
        Attack("expired before now", code: .receiptExpired, on: .expectations) {
            $0.receipt.expirationDate = instant("2024-12-31T23:59:59Z")
        },
        Attack("expires now", code: .receiptExpired, on: .expectations) { $0.receipt.expirationDate = $0.now },
        Attack("expired, with no other expectations", code: .receiptExpired, on: .expectations) {
            $0.receipt.expirationDate = instant("2024-07-03T00:00:00Z")
            $0.expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        },
    ]

    private static func device(_ last: UInt8) -> DeviceIdentifier {
        DeviceIdentifier(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last)))
    }

    private static let address = DeviceIdentifier(UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))

    /// Sets the receipt's bundle identifier and the expected one.
    private static func bundle(_ identifier: String, expected: String) -> @Sendable (inout ReceiptTestCase) -> Void {
        { testCase in
            testCase.receipt.bundleIdentifier = identifier
            testCase.expectations.bundleIdentifier = [expected]
        }
    }
}
