/// Verified data, or the report on data that failed a check.
package enum VerificationOutcome<Value: Sendable, Contents: Sendable>: Sendable {
    case verified(Value)
    case failed(ValidationReport<Value, Contents>)
}
