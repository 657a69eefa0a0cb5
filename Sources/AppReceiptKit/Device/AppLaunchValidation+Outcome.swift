public import AppReceiptParsing

extension AppLaunchValidation {
    /// What came of the validation: what may be unlocked, and what to tell the customer.
    public struct Outcome: Sendable, Hashable {
        /// What the customer has.
        public let access: Access

        /// What helps.
        public let advice: Advice

        /// Why the last refresh brought nothing, if there was one.
        public let refreshError: ReceiptRefreshError?

        /// The verified receipt. Premium content stays locked until there is one.
        public var verified: VerifiedReceipt? {
            if case .unlocked(let verified) = access { verified } else { nil }
        }

        /// Why there is no verified receipt.
        public var error: ReceiptError? {
            switch access {
            case .unlocked: nil
            case .newCustomer(let error), .locked(let error): error
            }
        }

        private init(access: Access, advice: Advice, refreshError: ReceiptRefreshError? = nil) {
            self.access = access
            self.advice = advice
            self.refreshError = refreshError
        }
    }

    /// What the customer has.
    public enum Access: Sendable, Hashable {
        /// What the receipt proves.
        case unlocked(VerifiedReceipt)
        /// Nothing yet: in the sandbox there is no receipt before the first purchase.
        case newCustomer(ReceiptError)
        /// Nothing that could be proven. The app runs on, without what was to be proven.
        case locked(ReceiptError)
    }

    /// What helps. An app may word it in its own languages.
    public enum Advice: String, Sendable, Hashable, CaseIterable {
        /// Nothing needs to be done.
        case nothing
        /// A fresh receipt from the store, for which it asks the customer to sign in.
        case refreshReceipt = "refresh-receipt"
        /// The same later, when the customer wants to: they declined, or the store or the device could not answer now.
        case tryLater = "try-later"
        /// Nothing that the customer can do in the app: this needs the people who made it.
        case contactSupport = "contact-support"
    }
}

extension AppLaunchValidation.Outcome {
    init(unlockedBy verified: VerifiedReceipt) { self.init(access: .unlocked(verified), advice: .nothing) }

    init(newCustomer error: ReceiptError) { self.init(access: .newCustomer(error), advice: .nothing) }

    init(lockedBy error: ReceiptError) { self.init(access: .locked(error), advice: Self.advice(for: error)) }

    /// The same once no fresh receipt was to be had. What is good all the same stays so.
    func after(_ error: ReceiptRefreshError) -> Self {
        guard advice == .refreshReceipt else { return Self(access: access, advice: advice, refreshError: error) }
        return Self(
            access: access, advice: error.code == .unavailable ? .contactSupport : .tryLater, refreshError: error)
    }

    /// The same of a fresh receipt, for which another would do no more.
    func afterRefresh() -> Self {
        advice == .refreshReceipt ? Self(access: access, advice: .contactSupport) : self
    }

    /// A fresh receipt mends whatever is wrong with the file: missing, damaged, badly signed, of another app, version or
    /// device, expired. It does not mend what the device or the app's own configuration is short of.
    private static func advice(for error: ReceiptError) -> AppLaunchValidation.Advice {
        switch error.code {
        case .deviceIdentifierMissing: .tryLater
        case .deviceIdentifierUnsupported, .environmentMismatch, .environmentUnknown, .xcodeNotTrusted,
            .xcodeCertificateMismatch, .xcodeCertificateMisused:
            .contactSupport
        default: .refreshReceipt
        }
    }
}

extension AppLaunchValidation.Outcome {
    /// What to tell the customer: a neutral sentence that accuses nobody, in English. Nil if there is nothing to tell.
    public var customerMessage: String? {
        switch access {
        case .unlocked, .newCustomer: nil
        case .locked: "Your purchases could not be confirmed on this device, so some features are locked for now."
        }
    }

    /// What the customer can do about it, as a sentence in English. Nil if there is nothing to do.
    public var customerAction: String? {
        switch advice {
        case .nothing: nil
        case .refreshReceipt: "Sign in to the App Store to confirm your purchases."
        case .tryLater:
            refreshError == nil || refreshError?.code == .tooSoon
                ? "Please try again in a little while." : "You can try again at any time."
        case .contactSupport: "Please contact support and mention “\(supportCode)”."
        }
    }

    /// What support needs to know: why there is no verified receipt, and no fresh one.
    private var supportCode: String {
        [error?.code.rawValue, refreshError?.code.rawValue].compactMap { $0 }.joined(separator: ", ")
    }
}
