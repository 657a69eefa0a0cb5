import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What an app does about its receipt when it starts.
///
/// ``validate(now:)`` is synchronous and shows nothing, so that a Mac app can call it in `main` before the application
/// starts. Nothing here ends the app: what was not proven stays locked, and the outcome says what the customer can do.
/// ``refresh(with:now:)`` asks the store for a fresh receipt and validates once more, never again by itself.
///
/// ```swift
/// let launch = AppLaunchValidation(bundleIdentifier: "com.example.app", environments: [.production, .sandbox])
/// var outcome = launch.validate()
/// // … once there is a window, and the customer presses the button:
/// outcome = await launch.refresh(with: .shared)
/// ```
public struct AppLaunchValidation: Sendable {
    /// The device that the receipt must have been made for.
    public enum Device: Sendable, Hashable {
        /// The one that the app runs on.
        case thisOne
        /// One with one of these identifiers; with none of them no receipt is valid.
        case oneOf([DeviceIdentifier])
        /// Whatever it is. A receipt that was copied from another device then counts.
        case any
    }

    private let expectations: Expectations
    private let verifier: ReceiptVerifier
    private let location: ReceiptLocation
    private let device: Device

    /// - Parameters:
    ///   - bundleIdentifier: the app's, as a constant; Info.plist can be edited by anybody.
    ///   - environments: those that are accepted: production and sandbox for an app that goes to App Review or TestFlight.
    ///   - appVersion: the version to compare, nil for none: after an update a receipt may still name the one before.
    ///   - verifier: who verifies; by default under Apple's roots.
    ///   - location: where the receipt should be.
    ///   - device: the device that the receipt must have been made for.
    public init(
        bundleIdentifier: String, environments: Expectations.Environments, appVersion: String? = nil,
        verifier: ReceiptVerifier = ReceiptVerifier(), location: ReceiptLocation = .mainBundle,
        device: Device = .thisOne
    ) {
        expectations = Expectations(
            bundleIdentifier: .identifier(bundleIdentifier), environments: environments, appVersion: appVersion)
        self.verifier = verifier
        self.location = location
        self.device = device
    }

    /// Reads and verifies the receipt. Shows nothing, asks nobody, ends nothing.
    ///
    /// - Parameter now: when a volume purchase that expires is looked at.
    public func validate(now: Date = Date()) -> Outcome {
        do throws(ReceiptError) {
            return Outcome(unlockedBy: try verified(now: now))
        } catch {
            guard error.code == .inputReceiptMissing else { return Outcome(lockedBy: error) }
            return expectsNoReceipt ? Outcome(newCustomer: error) : Outcome(lockedBy: error)
        }
    }

    /// Asks the store for a fresh receipt, once, and validates once more. For a button: the store asks the customer to
    /// sign in.
    ///
    /// It asks whatever the last outcome was: a receipt may be good and yet from before the latest renewal. What comes of
    /// it never advises another refresh, so that no loop can be made of this; a customer who declined or was offline may
    /// try again (``Advice/tryLater``). A receipt that is good although no fresh one came stays good. Like
    /// ``validate(now:)`` it asks the device for its identifiers, so do not let the main thread wait for it.
    ///
    /// - Parameters:
    ///   - refresher: who asks the store; share one, and there is one prompt at a time.
    ///   - now: as for ``validate(now:)``, asked after the refresh.
    public func refresh(
        with refresher: ReceiptRefresher, now: @Sendable () -> Date = { Date() }
    ) async -> Outcome {
        do throws(ReceiptRefreshError) {
            try await refresher.refresh()
        } catch {
            return validate(now: now()).after(error)
        }
        return validate(now: now()).afterRefresh()
    }

    /// What came of every check, for a support screen. It goes as far as it can, also without a receipt or a device.
    ///
    /// - Parameter now: as for ``validate(now:)``.
    public func report(now: Date = Date()) -> ReceiptReport {
        let source = Result { () throws(ReceiptError) in try location.contents(limits: verifier.limits) }
        var expectations = expectations
        expectations.devices = (try? expectedDevices()) ?? .oneOf([])
        return verifier.report(source: source, expecting: expectations, now: now)
    }

    private func verified(now: Date) throws(ReceiptError) -> VerifiedReceipt {
        let bytes = try location.contents(limits: verifier.limits)
        // A device that cannot be told fails at its own check, so that a damaged receipt is called damaged all the same.
        let devices = Result { () throws(ReceiptError) in try expectedDevices() }
        var expectations = expectations
        expectations.devices = (try? devices.get()) ?? .oneOf([])
        do throws(ReceiptError) {
            return try verifier.verify(bytes, expecting: expectations, now: now)
        } catch {
            if error.code == .deviceIdentifierMissing, case .failure(let reason) = devices { throw reason }
            throw error
        }
    }

    private func expectedDevices() throws(ReceiptError) -> Expectations.Devices {
        switch device {
        case .thisOne: .oneOf(try DeviceIdentifier.current())
        case .oneOf(let devices): .oneOf(devices)
        case .any: .anyDevice
        }
    }

    /// In the sandbox there is no receipt before the first purchase.
    private var expectsNoReceipt: Bool {
        if location.suggestsSandbox { return true }
        guard case .only(let accepted) = expectations.environments else { return false }
        return !accepted.contains(.production)
    }
}
