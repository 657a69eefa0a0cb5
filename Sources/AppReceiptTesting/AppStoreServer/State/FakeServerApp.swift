/// An app of the developer.
struct FakeServerApp {
    /// The app's App Store identifier. Only data of production contains it.
    let appAppleIdentifier: UInt64
    /// Whether the app was ever approved for sale.
    var isApproved = true
    /// Whether an address for notifications is registered.
    var hasNotificationURL = true
}
