/// A table with aligned columns.
struct Table {
    private var rows: [[String]] = []
    private let columns: [String]

    /// Creates a table without rows.
    ///
    /// - Parameter columns: The names of the columns; empty ones for a table without a header.
    init(columns: [String]) { self.columns = columns }

    /// Creates a table with a name and a value in each row. Facts without a value are left out.
    init(facts: [(name: String, value: String?)]) {
        columns = ["", ""]
        for (name, value) in facts { if let value { add([name, value]) } }
    }

    /// Adds a row. Cells are escaped and shortened, because they come from receipts and may be megabytes long.
    mutating func add(_ row: [String]) { rows.append(row.map { Terminal.escaped(Terminal.truncated($0)) }) }

    /// Returns the lines, indented by two spaces. Columns in which every row is empty are left out.
    func lines(_ terminal: Terminal) -> [String] {
        let shown = columns.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        let widths = shown.map { column in
            max(columns[column].count, rows.map { $0[column].count }.max() ?? 0)
        }
        func line(_ row: [String]) -> String {
            let cells = zip(shown, widths).map { column, width in
                row[column] + String(repeating: " ", count: width - row[column].count)
            }
            var text = "  " + cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text
        }
        return (columns.contains { !$0.isEmpty } ? [terminal.styled(line(columns), as: .dim)] : []) + rows.map(line)
    }
}
