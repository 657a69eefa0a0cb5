/// Which of a customer's purchases an answer contains, if it is complete.
enum AnswerContent: Sendable {
    /// Every purchase.
    case everything
    /// Every subscription.
    case everySubscription
    /// A part: refunds, filtered or changed purchases.
    case part
}
