package import AppReceiptKit
import Testing

extension ExpectationOption {
    /// The value of a `TestReceipt` for the device of these examples, another value, and a malformed one if there is
    /// one.
    package func examples() throws -> (value: String, other: String, malformed: String?) {
        try #require(Self.examples[name], "Add examples of --\(name).")
    }

    private static let examples: [String: (value: String, other: String, malformed: String?)] = [
        "bundle-id": ("com.example.app", "com.example.other", nil),
        "environment": ("sandbox", "xcode", "Produktion"),
        "app-version": ("1", "2", nil),
        "original-app-version": ("1.0", "2.0", nil),
        "device-id": ("02:00:00:00:00:01", "02:00:00:00:00:02", "02"),
    ]
}
