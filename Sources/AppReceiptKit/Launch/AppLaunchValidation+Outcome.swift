public import AppReceiptParsing

extension AppLaunchValidation {
    /// The result of the validation: the customer's access, and what the customer can do.
    public struct Outcome: Sendable, Hashable {
        /// The customer's access.
        public let access: Access

        /// The customer's next step.
        public let nextStep: NextStep

        /// The error of the last refresh; nil if it succeeded or there was none.
        public let refreshError: ReceiptRefreshError?

        /// The verified receipt. Premium content stays locked until there is one.
        public var verified: VerifiedReceipt? {
            if case .unlocked(let verified) = access { verified } else { nil }
        }

        /// The reason why there is no verified receipt, nil if there is one.
        public var error: ReceiptError? {
            switch access {
            case .unlocked: nil
            case .newCustomer(let error), .locked(let error): error
            }
        }

        private init(access: Access, nextStep: NextStep, refreshError: ReceiptRefreshError? = nil) {
            self.access = access
            self.nextStep = nextStep
            self.refreshError = refreshError
        }
    }

    /// The customer's access.
    public enum Access: Sendable, Hashable {
        /// The purchases in the verified receipt.
        case unlocked(VerifiedReceipt)
        /// No purchases yet: the sandbox has no receipt before the first purchase.
        case newCustomer(ReceiptError)
        /// No proven purchases. The app continues without premium content.
        case locked(ReceiptError)
    }

    /// The customer's next step. An app may translate it.
    public enum NextStep: String, Sendable, Hashable, CaseIterable {
        /// No action is necessary.
        case nothing
        /// Request a new receipt from the App Store, which asks the customer to sign in.
        case refreshReceipt = "refresh-receipt"
        /// Request a new receipt later: the customer declined, or the App Store or the device wasn't available.
        case tryLater = "try-later"
        /// Contact the developer. The customer can't solve the problem in the app.
        case contactSupport = "contact-support"
        /// Change the call: the process isn't an app of the App Store, as on Linux, in a command-line tool or in a
        /// test, so the developer has to pass a location and a device. Customers never see it.
        case fixConfiguration = "fix-configuration"
    }
}

extension AppLaunchValidation.Outcome {
    init(unlockedBy verified: VerifiedReceipt) { self.init(access: .unlocked(verified), nextStep: .nothing) }

    init(newCustomer error: ReceiptError) { self.init(access: .newCustomer(error), nextStep: .nothing) }

    init(lockedBy error: ReceiptError) { self.init(access: .locked(error), nextStep: Self.nextStep(for: error)) }

    /// Returns the outcome after a failed refresh. A valid receipt stays valid.
    func after(_ error: ReceiptRefreshError) -> Self {
        guard nextStep == .refreshReceipt else { return Self(access: access, nextStep: nextStep, refreshError: error) }
        return Self(
            access: access, nextStep: error.code == .unavailable ? .contactSupport : .tryLater, refreshError: error)
    }

    /// Returns the outcome if another refresh wouldn't help, or isn't available.
    func withoutRefresh() -> Self {
        nextStep == .refreshReceipt ? Self(access: access, nextStep: .contactSupport) : self
    }

    /// Returns the next step after a failure. A new receipt fixes errors of the file: missing, damaged, with an invalid
    /// signature, for another app, version or device, or expired. It doesn't fix errors of the device or of the app's
    /// configuration.
    private static func nextStep(for error: ReceiptError) -> AppLaunchValidation.NextStep {
        switch error.code {
        case .deviceIdentifierMissing: .tryLater
        case .inputLocationMissing, .deviceIdentifierUnsupported: .fixConfiguration
        case .environmentMismatch, .environmentUnknown, .xcodeNotTrusted,
            .xcodeCertificateMismatch, .xcodeCertificateMisused:
            .contactSupport
        default: .refreshReceipt
        }
    }
}

extension AppLaunchValidation.Outcome {
    /// The message for the customer, a neutral English sentence; nil if none is necessary. For
    /// ``AppLaunchValidation/NextStep/fixConfiguration``, the error's message for the developer.
    public var customerMessage: String? {
        switch access {
        case .unlocked, .newCustomer: nil
        case .locked where nextStep == .fixConfiguration: error?.message
        case .locked: "Your purchases couldn't be confirmed on this device, so some features are locked for now."
        }
    }

    /// The next step for the customer, an English sentence; nil if none is necessary. For
    /// ``AppLaunchValidation/NextStep/fixConfiguration``, the error's remedy for the developer.
    public var customerAction: String? {
        switch nextStep {
        case .nothing: nil
        case .refreshReceipt: "Sign in to the App Store to confirm your purchases."
        case .tryLater:
            refreshError == nil || refreshError?.code == .tooSoon
                ? "Please try again in a little while." : "You can try again at any time."
        case .fixConfiguration: error?.remedy
        case .contactSupport: "Please contact support and mention “\(supportCode)”."
        }
    }

    /// The code for support: the reasons for the missing receipt and the failed refresh.
    private var supportCode: String {
        [error?.code.rawValue, refreshError?.code.rawValue].compactMap { $0 }.joined(separator: ", ")
    }
}
