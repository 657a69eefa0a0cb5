/// The completion of a check that doesn't fail.
package enum CheckStatus: Sendable, Hashable, CaseIterable {
    case passed
    /// The caller has no expectation for this check.
    case notRequested
    /// The check doesn't apply to this kind of data.
    case notApplicable
    /// The check requires the result of an earlier check that failed.
    case notReached

    /// The code of the result, nil for a check that passed.
    package var code: String? {
        switch self {
        case .passed: nil
        case .notRequested: "not-requested"
        case .notApplicable: "not-applicable"
        case .notReached: "not-reached"
        }
    }
}
