import ArgumentParser

/// The format of the records.
enum RecordFormat: String, ExpressibleByArgument, CaseIterable {
    case ndjson, csv
}
