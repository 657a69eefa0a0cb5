public import Foundation

/// Verifies receipts and tokens for display, for any app and environment.
public struct Inspector: Sendable {
    private let receipts: ReceiptVerifier
    private let signedData: SignedDataVerifier

    /// Creates an inspector.
    ///
    /// - Parameters:
    ///   - anchors: The trusted roots. Default: Apple's.
    ///   - xcode: The trusted certificates of Xcode. Default: none.
    public init(anchors: TrustAnchors = .apple, xcode: XcodeTrust = .disabled) {
        receipts = ReceiptVerifier(anchors: anchors, xcode: xcode)
        signedData = SignedDataVerifier(anchors: anchors, xcode: xcode)
    }

    /// Verifies a receipt in any form, a token, or a notification's request body.
    ///
    /// - Parameters:
    ///   - bytes: The data.
    ///   - devices: The devices for which a receipt is valid. Tokens aren't compared with them.
    ///   - now: The date for which entitlements and expiration are shown.
    /// - Returns: What to show, also for data that isn't valid.
    public func inspect(
        _ bytes: [UInt8], devices: AcceptedValues<DeviceIdentifier> = .anyDevice, now: Date = Date()
    ) -> Inspection {
        let expectations = SignedDataExpectations(
            bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
        do throws(ReceiptError) {
            _ = try ReceiptInput(bytes, limits: receipts.limits)
        } catch {
            switch error.code {
            case .inputSignedData:
                let token = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                return Inspection(signedData.report(token, expecting: expectations, now: now))
            case .inputJSON:
                return Inspection(signedData.report(body: bytes, expecting: expectations, now: now))
            default:
                break
            }
        }
        return Inspection(
            receipts.report(
                bytes,
                expecting: Expectations(
                    bundleIdentifier: .anyBundle, environments: .anyEnvironment, devices: devices),
                now: now))
    }
}
