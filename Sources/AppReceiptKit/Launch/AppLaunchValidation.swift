public import AppReceiptFoundation
import AppReceiptParsing

/// Validates an app's receipt at launch.
///
/// ``validate(now:)`` is synchronous and doesn't show anything, so that a Mac app can call it in `main` before the
/// application starts. It never terminates the app: unproven content stays locked, and the outcome contains the next
/// step for the customer. ``refresh(now:)`` requests a new receipt from the App Store and validates it once.
///
/// ```swift
/// let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])
/// var outcome = launch.validate()
/// // … later, when the customer presses a button:
/// outcome = await launch.refresh()
/// ```
///
/// On Linux, in a command-line tool and in a test, pass a location and a device. Without them the outcome is
/// ``NextStep/fixConfiguration``. Where there is no App Store, no outcome advises a refresh.
public struct AppLaunchValidation: Sendable {
    private let expectations: Expectations
    private let verifier: ReceiptVerifier
    private let location: ReceiptLocation
    private let devices: AcceptedValues<DeviceIdentifier>?
    private let refresher: ReceiptRefresher

    /// Creates a validation.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app's bundle identifier, as a constant, because anyone can edit Info.plist.
    ///   - environments: The accepted environments: production and sandbox for an app that goes to App Review or
    ///     TestFlight.
    ///   - appVersion: The version that the receipt must be for. Pass it as a constant, because anyone can edit
    ///     Info.plist.
    ///   - verifier: The verifier. Default: one that trusts Apple's roots.
    ///   - location: The location of the receipt.
    ///   - devices: The device that the receipt must be for. Default: the current device. `.anyDevice` accepts all.
    ///   - refresher: Requests a new receipt. Default: the one that all validations share, so that there is only one
    ///     prompt at a time. A test passes one with a request of its own.
    public init(
        bundleIdentifier: String, environments: AcceptedValues<AppStoreEnvironment>,
        appVersion: AppVersion = .automatic,
        verifier: ReceiptVerifier = ReceiptVerifier(), location: ReceiptLocation = .mainBundle,
        devices: AcceptedValues<DeviceIdentifier>? = nil, refresher: ReceiptRefresher = .shared
    ) {
        expectations = Expectations(
            bundleIdentifier: [bundleIdentifier], environments: environments,
            appVersion: appVersion.expected(at: location))
        self.verifier = verifier
        self.location = location
        self.devices = devices
        self.refresher = refresher
    }

    /// Reads and verifies the receipt. Doesn't show anything, contact the App Store or terminate the app.
    ///
    /// - Parameter now: The date for which a volume purchase's expiration is checked; nil for the current time.
    /// - Returns: The customer's access and the next step.
    public func validate(now: Date? = nil) -> Outcome {
        do throws(ReceiptError) {
            return Outcome(unlockedBy: try verified(now: now ?? Date()))
        } catch {
            if error.code == .inputReceiptMissing, expectsNoReceipt { return Outcome(newCustomer: error) }
            let outcome = Outcome(lockedBy: error)
            return refresher.isAvailable ? outcome : outcome.withoutRefresh()
        }
    }

    /// Requests a new receipt from the App Store once, and validates it.
    ///
    /// Call it when the customer presses a button, because the App Store asks the customer to sign in.
    ///
    /// Requests a new receipt after any outcome, because a valid receipt may predate the latest renewal. The outcome
    /// never advises another refresh, which prevents loops; a customer who declined or was offline may try again
    /// (``NextStep/tryLater``). If the refresh fails, a valid receipt stays valid. Like ``validate(now:)``, it reads
    /// the device's identifiers, so don't block the main thread until it returns.
    ///
    /// - Parameter now: The date for which a volume purchase's expiration is checked; nil for the time after the
    ///   refresh.
    /// - Returns: The outcome for the receipt after the refresh.
    public func refresh(now: Date? = nil) async -> Outcome {
        do throws(ReceiptRefreshError) {
            try await refresher.refresh()
        } catch {
            return validate(now: now).after(error)
        }
        return validate(now: now).withoutRefresh()
    }

    /// Runs every possible check, even without a receipt or a device, and returns the results, for a support screen.
    ///
    /// - Parameter now: The date for which a volume purchase's expiration is checked; nil for the current time.
    /// - Returns: The result of each check.
    public func report(now: Date? = nil) -> ReceiptReport {
        let source = Result { () throws(ReceiptError) in try location.contents(limits: verifier.limits) }
        var expectations = expectations
        expectations.devices = (try? expectedDevices()) ?? []
        return verifier.report(source: source, expecting: expectations, now: now ?? Date())
    }

    private func verified(now: Date) throws(ReceiptError) -> VerifiedReceipt {
        let bytes = try location.contents(limits: verifier.limits)
        // An unknown device fails only its own check, so that a damaged receipt is still reported as damaged.
        let devices = Result { () throws(ReceiptError) in try expectedDevices() }
        var expectations = expectations
        expectations.devices = (try? devices.get()) ?? []
        do throws(ReceiptError) {
            return try verifier.verify(bytes, expecting: expectations, now: now)
        } catch {
            if error.code == .deviceIdentifierMissing, case .failure(let reason) = devices { throw reason }
            throw error
        }
    }

    private func expectedDevices() throws(ReceiptError) -> AcceptedValues<DeviceIdentifier> {
        if let devices { return devices }
        return .only(try DeviceIdentifier.current())
    }

    /// Whether a missing receipt is expected, because the sandbox has none before the first purchase.
    private var expectsNoReceipt: Bool {
        if location.suggestsSandbox { return true }
        guard let accepted = expectations.environments.values else { return false }
        return !accepted.contains(.production)
    }
}
