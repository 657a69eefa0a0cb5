import AppStoreSignedData

/// The probable meaning of a misspelled name.
enum NameSuggestion {
    /// Returns a known name with nearly the same letters; nil if there is none.
    static func name(for unknown: String, among known: [String]) -> String? {
        // A name may have megabytes.
        guard unknown.utf8.count <= 64 else { return nil }
        let letters = letters(of: unknown)
        return known.map { (name: $0, edits: edits(from: self.letters(of: $0), to: letters)) }
            .filter { $0.edits <= min(2, ($0.name.utf8.count + 1) / 4) }
            .min { $0.edits < $1.edits }?.name
    }

    /// Neither case nor hyphens distinguish names.
    private static func letters(of name: String) -> [UInt8] {
        EvidenceInput.canonicalName(name).utf8.filter { $0 != UInt8(ascii: "-") }
    }

    /// Returns the number of characters to insert, remove or replace, or of neighbors to exchange (the optimal string
    /// alignment distance).
    private static func edits(from source: [UInt8], to target: [UInt8]) -> Int {
        // The distances from a prefix of the source to each prefix of the target.
        var beforeLast: [Int] = []
        var last = Array(0...target.count)
        for (index, byte) in source.enumerated() {
            var row = [index + 1]
            for (column, other) in target.enumerated() {
                var edits = min(last[column] + (byte == other ? 0 : 1), min(last[column + 1], row[column]) + 1)
                if index > 0, column > 0, byte == target[column - 1], source[index - 1] == other {
                    edits = min(edits, beforeLast[column - 1] + 1)
                }
                row.append(edits)
            }
            (beforeLast, last) = (last, row)
        }
        return last[target.count]
    }
}
