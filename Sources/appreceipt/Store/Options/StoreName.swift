import ArgumentParser

/// A value with one of Apple's names. Lowercase and hyphens are accepted.
protocol StoreName: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension StoreName {
    /// Creates a value from a name such as `GRANT_FULL` or `grant-full`.
    init?(argument: String) {
        self.init(rawValue: String(argument.uppercased().map { $0 == "-" ? "_" : $0 }))
    }
}
