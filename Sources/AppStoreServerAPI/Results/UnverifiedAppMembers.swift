public import AppStoreSignedData

/// Members about the app that the App Store adds to a list without signing them.
@available(AppStoreServerAPI 1.0, *)
public struct UnverifiedAppMembers: Sendable, Hashable {
    /// The environment that the response names.
    public let environment: SignedDataEnvironment?
    /// The bundle identifier that the response names.
    public let bundleIdentifier: String?
    /// The App Store identifier that the response names.
    public let appAppleIdentifier: UInt64?

    init(_ response: APIResponse) throws(AppStoreServerError) {
        environment = try response.string("environment").map { SignedDataEnvironment(rawValue: $0) }
        bundleIdentifier = try response.string("bundleId")
        appAppleIdentifier = try response.identifier("appAppleId")
    }
}
