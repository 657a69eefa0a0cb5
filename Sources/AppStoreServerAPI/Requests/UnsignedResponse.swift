public import AppReceiptKit
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// A response that Apple doesn't sign. Only the connection to the App Store's server protects it.
    public struct UnsignedResponse<Value: Sendable>: Sendable {
        /// The environment of the request.
        public let environment: AppStoreEnvironment
        /// The contents of the response.
        public let unverified: Value
    }

    /// Members about the app that the App Store adds to a list without signing them.
    public struct AppMembers: Sendable, Hashable {
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

    /// An item of a list that isn't returned as verified.
    public struct RejectedItem: Sendable, Hashable {
        /// The position of the item in the App Store's list, counted from 0. Transactions and rejected items together
        /// are the whole list.
        public let index: Int
        /// The reason for the rejection. ``AppStoreServerError/receiptError`` contains the failure of the verification.
        public let error: AppStoreServerError
    }
}

@available(AppStoreServerAPI 1.0, *)
extension [AppStoreServerClient.RejectedItem] {
    /// Joins the rejected items of pages, with their positions in the whole list.
    package static func joined(_ pages: [(acceptedCount: Int, rejected: Self)]) -> Self {
        var offset = 0
        return pages.flatMap { page in
            defer { offset += page.acceptedCount + page.rejected.count }
            return page.rejected.map { Element(index: $0.index + offset, error: $0.error) }
        }
    }
}
