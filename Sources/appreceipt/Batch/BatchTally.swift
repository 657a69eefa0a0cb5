/// The numbers of results, by verdict and code.
struct BatchTally: Sendable {
    var valid = 0
    var invalid = 0
    var errors = 0
    /// Records that were skipped because the output contains their results.
    var skipped = 0
    /// Records that were validated without a bundle identifier to compare.
    var withoutBundleIdentifier = 0
    /// Records that were validated without an environment to compare.
    var withoutEnvironment = 0
    /// Records that have an id.
    var withID = 0
    /// How often each code occurred.
    var codes: [String: Int] = [:]

    /// The number of results.
    var total: Int { valid + invalid + errors }

    static func += (left: inout BatchTally, right: BatchTally) {
        left.valid += right.valid
        left.invalid += right.invalid
        left.errors += right.errors
        left.skipped += right.skipped
        left.withoutBundleIdentifier += right.withoutBundleIdentifier
        left.withoutEnvironment += right.withoutEnvironment
        left.withID += right.withID
        left.codes.merge(right.codes, uniquingKeysWith: +)
    }
}
