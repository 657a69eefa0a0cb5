extension VerifyReceiptResponder {
    /// The subscriptions for which responses contain an element of `pending_renewal_info`.
    public enum RenewalInfo: String, Sendable, Hashable, CaseIterable {
        /// Only subscriptions with signed renewal information. If there are none, the member is absent.
        case known

        /// Every subscription, as in Apple's responses, for clients that fail if the member is absent.
        ///
        /// Without signed renewal information, an element contains only the product and the original transaction: whether the
        /// subscription renews is unknown.
        case always
    }
}
