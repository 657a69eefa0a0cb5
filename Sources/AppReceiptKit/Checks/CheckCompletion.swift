/// How a check completes that doesn't fail.
package enum CheckCompletion: Sendable, Hashable {
    case passed
    /// The caller expects nothing that this check could compare.
    case notRequested
    /// This kind of data contains nothing that this check could compare.
    case notApplicable
    /// An earlier check failed, without which this one is not possible.
    case notReached

    /// The code of the result, nil for a check that passed.
    var code: String? {
        switch self {
        case .passed: nil
        case .notRequested: "not-requested"
        case .notApplicable: "not-applicable"
        case .notReached: "not-reached"
        }
    }
}
