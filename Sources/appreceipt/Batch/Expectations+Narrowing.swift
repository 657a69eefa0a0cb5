import AppReceiptKit

extension Expectations.BundleIdentifier {
    /// Whether this app is accepted, compared byte by byte as with a receipt.
    func allows(_ identifier: String) -> Bool {
        switch self {
        case .anyBundle: true
        case .identifier(let allowed): allowed.utf8.elementsEqual(identifier.utf8)
        }
    }
}

extension Expectations.Environments {
    /// Whether all of these are accepted.
    func allows(_ environments: [ReceiptEnvironment.Base]) -> Bool {
        switch self {
        case .anyEnvironment: true
        case .only(let allowed): allowed.isSuperset(of: environments)
        }
    }
}

extension Expectations.Devices {
    /// Whether all of these are accepted.
    func allows(_ devices: [DeviceIdentifier]) -> Bool {
        switch self {
        case .anyDevice: true
        case .oneOf(let allowed): devices.allSatisfy { allowed.contains($0) }
        }
    }
}
