/// The names of members without a meaning, which are reported once: a misspelled option would silently disable a check.
struct UnknownMembers: Sendable {
    static let maxNames = 30
    private var reported: Set<String> = []

    /// The note about names that weren't reported before; nil if there are none.
    mutating func note(_ names: Set<String>) -> String? {
        guard reported.count <= Self.maxNames else { return nil }
        let new = names.subtracting(reported)
        reported.formUnion(new)
        return Self.note(new.sorted(), "members")
    }

    /// The note about members or columns; nil if there are none.
    static func note(_ names: [String], _ kind: String) -> String? {
        guard !names.isEmpty else { return nil }
        let others = names.count > maxNames ? " and others" : ""
        let list = names.prefix(maxNames).map { Terminal.truncated($0) }.joined(separator: ", ")
        let questions = NameSuggestion.questions(about: names.prefix(maxNames))
        return "Ignored unknown \(kind): \(list)\(others)" + (questions.isEmpty ? "" : "." + questions)
    }
}
