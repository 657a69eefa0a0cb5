import AppStoreSignedData

/// The names of members without a meaning, which are reported once: a misspelled option would silently disable a check.
struct UnknownMembers: Sendable {
    static let maxNames = 30
    private var reported: Set<String> = []

    /// Returns the note about names that weren't reported before; nil if there are none.
    mutating func note(_ names: Set<String>) -> String? {
        guard reported.count <= Self.maxNames else { return nil }
        let new = names.subtracting(reported)
        reported.formUnion(new)
        return Self.note(new.sorted(), kind: "members")
    }

    /// Returns the note about members or columns; nil if there are none.
    static func note(_ names: [String], kind: String) -> String? {
        guard !names.isEmpty else { return nil }
        let others = names.count > maxNames ? " and others" : ""
        let list = names.prefix(maxNames).map { Terminal.truncated($0) }.joined(separator: ", ")
        let questions = questions(about: names.prefix(maxNames))
        return "Ignored unknown \(kind): \(list)\(others)" + (questions.isEmpty ? "" : "." + questions)
    }

    /// Questions about the names that resemble those of members or columns; empty if there are none.
    static func questions(about unknown: some Sequence<String>) -> String {
        let known = BatchRecord.Member.names + EvidenceInput.members
        return unknown.compactMap { unknown in
            NameSuggestion.name(for: unknown, among: known).map {
                " Did you mean '\($0)' instead of '\(Terminal.truncated(unknown))'?"
            }
        }.joined()
    }
}
