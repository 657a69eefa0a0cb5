import AppReceiptFoundation
import AppReceiptKit

// Genuine receipts that aren't for this app, environment, version, device or time.

extension Attack {
    static let expectationAttacks: [Case] = [
        bundle("another bundle identifier", identifier: "com.a.b", expected: "com.a.c"),
        bundle("a bundle identifier in another case", identifier: "com.a.b", expected: "com.a.B"),
        bundle("a longer bundle identifier", identifier: "com.a.bc", expected: "com.a.b"),
        bundle("a shorter bundle identifier", identifier: "com.a", expected: "com.a.b"),
        bundle("a bundle identifier followed by a zero byte", identifier: "com.a.b\0", expected: "com.a.b"),
        bundle("an expected bundle identifier followed by a space", identifier: "com.a.b", expected: "com.a.b "),
        // These strings compare equal in Swift, but their bytes differ.
        bundle("a bundle identifier with a combining accent", identifier: "com.cafe\u{301}", expected: "com.caf\u{E9}"),
        bundle(
            "a bundle identifier with a precomposed accent", identifier: "com.caf\u{E9}", expected: "com.cafe\u{301}"),
        bundle("a bundle identifier with the ångström sign", identifier: "com.\u{212B}", expected: "com.\u{C5}"),
        Case("no bundle identifier", code: .bundleIdentifierMissing) { $0.receipt.overrides[2] = [] },
        bundle("an empty bundle identifier", identifier: "", expected: "com.a.b", code: .bundleIdentifierMissing),
        bundle(
            "an empty bundle identifier that is expected", identifier: "", expected: "", code: .bundleIdentifierMissing),
        Case("a sandbox receipt where production is expected", code: .environmentMismatch) {
            $0.expectations.environments = [.production]
        },
        Case("a production receipt where sandbox is expected", code: .environmentMismatch) {
            $0.receipt.environment = .production
        },
        Case("a volume purchase receipt where sandbox is expected", code: .environmentMismatch) {
            $0.receipt.environment = .productionVPP
        },
        Case("no environment accepted", code: .environmentMismatch) { $0.expectations.environments = [] },
        Case("no environment", code: .environmentMissing) { $0.receipt.overrides[0] = [] },
        Case("an empty environment", code: .environmentMissing) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "")
        },
        Case("an unknown environment", code: .environmentUnknown) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "Staging")
            $0.expectations.environments = [.production, .sandbox, .xcode]
        },
        Case("an environment in another case", code: .environmentUnknown) {
            $0.receipt.environment = ReceiptEnvironment(rawValue: "PRODUCTION")
            $0.expectations.environments = [.production]
        },
        Case("another version", code: .appVersionMismatch) { $0.expectations.appVersion = "2" },
        Case("a version that is numerically equal", code: .appVersionMismatch) {
            $0.expectations.appVersion = "1.0"
        },
        Case("a version that is canonically equivalent", code: .appVersionMismatch) {
            $0.receipt.appVersion = "1\u{E9}"
            $0.expectations.appVersion = "1e\u{301}"
        },
        Case("no version", code: .appVersionMissing) {
            $0.receipt.overrides[3] = []
            $0.expectations.appVersion = "1"
        },
        Case("another original version", code: .originalAppVersionMismatch) {
            $0.expectations.originalAppVersion = "1"
        },
        Case("an original version that is canonically equivalent", code: .originalAppVersionMismatch) {
            $0.receipt.originalAppVersion = "e\u{301}"
            $0.expectations.originalAppVersion = "\u{E9}"
        },
        Case("no original version", code: .originalAppVersionMissing) {
            $0.receipt.overrides[19] = []
            $0.expectations.originalAppVersion = "1.0"
        },
        Case("another device", code: .deviceHashMismatch) {
            $0.receipt.device = device(1)
            $0.expectations.devices = [device(2)]
        },
        Case("an empty list of devices", code: .deviceIdentifierMissing) {
            $0.receipt.device = device(1)
            $0.expectations.devices = []
        },
        Case("several other devices", code: .deviceHashMismatch) {
            $0.receipt.device = device(1)
            $0.expectations.devices = [device(2), device(3), address]
        },
        Case("another opaque value", code: .deviceHashMismatch) {
            $0.receipt.device = device(1)
            $0.receipt.overrides[4] = [[1, 2, 3]]
            $0.expectations.devices = [device(1)]
        },
        Case("no device hash", code: .deviceHashMissing) {
            $0.receipt.overrides[5] = []
            $0.expectations.devices = [device(1)]
        },
        Case("no opaque value", code: .deviceHashInputsMissing) {
            $0.receipt.overrides[4] = []
            $0.expectations.devices = [device(1)]
        },
        Case("no bundle identifier to hash", code: .deviceHashInputsMissing) {
            $0.receipt.overrides[2] = []
            $0.expectations.bundleIdentifier = .anyBundle
            $0.expectations.devices = [device(1)]
        },
        Case("expired before now", code: .receiptExpired) {
            $0.receipt.expirationDate = instant("2024-12-31T23:59:59Z")
        },
        Case("expires now", code: .receiptExpired) { $0.receipt.expirationDate = $0.now },
        Case("expired, with no other expectations", code: .receiptExpired) {
            $0.receipt.expirationDate = instant("2024-07-03T00:00:00Z")
            $0.expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment)
        },
    ]

    private static func device(_ last: UInt8) -> DeviceIdentifier {
        DeviceIdentifier(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, last)))
    }

    private static let address = DeviceIdentifier(UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))

    /// Creates an attack with a receipt's bundle identifier and the expected one.
    private static func bundle(
        _ name: String, identifier: String, expected: String, code: ReceiptError.Code = .bundleIdentifierMismatch
    ) -> Case {
        Case(name, code: code) {
            $0.receipt.bundleIdentifier = identifier
            $0.expectations.bundleIdentifier = [expected]
        }
    }
}
