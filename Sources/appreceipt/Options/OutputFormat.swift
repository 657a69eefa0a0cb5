import ArgumentParser

/// The format of a result.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}
