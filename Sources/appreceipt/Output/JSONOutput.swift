import AppReceiptSupport
import ArgumentParser

/// The JSON that this command writes.
enum JSONOutput {
    /// Writes one document to standard output.
    static func write(_ document: [UInt8]) throws {
        try Terminal.write(String(decoding: document, as: UTF8.self) + "\n")
    }

    /// Writes one document to standard output, members in the order of the value.
    static func write(json: AppStoreJSON) throws {
        try write(json.text(isPretty: true))
    }

    /// Returns an object as one line of text, with a line break at its end.
    static func line(_ object: AppStoreJSON.Object) -> [UInt8] { AppStoreJSON.object(object).text() + [0x0A] }
}

/// The format of a result.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}
