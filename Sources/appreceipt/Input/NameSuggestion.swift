import AppStoreSignedData

/// What a misspelled name is probably meant to be.
enum NameSuggestion {
    /// A member or column with nearly the same letters; nil if there is none.
    static func name(for unknown: String) -> String? {
        name(
            for: unknown,
            among: BatchRecord.Member.allCases.map(\.rawValue).filter { $0 != "id" } + EvidenceInput.members)
    }

    /// A known name with nearly the same letters; nil if there is none.
    static func name(for unknown: String, among known: [String]) -> String? {
        // A name may have megabytes.
        guard unknown.utf8.count <= 64 else { return nil }
        let letters = letters(of: unknown)
        return known.map { (name: $0, edits: edits(from: self.letters(of: $0), to: letters)) }
            .filter { $0.edits <= min(2, ($0.name.utf8.count + 1) / 4) }
            .min { $0.edits < $1.edits }?.name
    }

    /// Questions about the names that resemble known ones; empty if there are none.
    static func questions(about unknown: some Sequence<String>) -> String {
        unknown.compactMap { unknown in
            name(for: unknown).map { " Did you mean '\($0)' instead of '\(Terminal.truncated(unknown))'?" }
        }.joined()
    }

    /// Neither case nor hyphens distinguish names.
    private static func letters(of name: String) -> [UInt8] {
        EvidenceInput.canonicalName(name).utf8.filter { $0 != UInt8(ascii: "-") }
    }

    /// The number of characters to insert, remove or replace (the Levenshtein distance).
    private static func edits(from source: [UInt8], to target: [UInt8]) -> Int {
        var row = Array(0...target.count)
        for (index, byte) in source.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in target.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, min(diagonal, row[column]) + 1)
            }
        }
        return row[target.count]
    }
}
