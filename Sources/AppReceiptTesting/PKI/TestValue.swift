/// Test data of which every part can be changed.
public protocol TestValue: Sendable {}

extension TestValue {
    /// Returns a copy with the given changes.
    public func with(_ change: (inout Self) throws -> Void) rethrows -> Self {
        var changed = self
        try change(&changed)
        return changed
    }
}
