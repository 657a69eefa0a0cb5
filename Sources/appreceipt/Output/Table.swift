/// A table with aligned columns.
struct Table {
    private var rows: [[String]] = []
    private let header: [String]

    init(_ header: [String]) { self.header = header }

    /// Adds a row. Cells are escaped and shortened, because they come from receipts and may be megabytes long.
    mutating func add(_ row: [String]) { rows.append(row.map { Terminal.escaped(Terminal.truncated($0)) }) }

    /// The lines, indented by two spaces. Columns in which every row is empty are left out.
    func lines(_ terminal: Terminal) -> [String] {
        let columns = header.indices.filter { column in rows.contains { !$0[column].isEmpty } }
        let widths = columns.map { column in
            max(header[column].count, rows.map { $0[column].count }.max() ?? 0)
        }
        func line(_ row: [String]) -> String {
            let cells = zip(columns, widths).map { column, width in
                row[column] + String(repeating: " ", count: width - row[column].count)
            }
            var text = "  " + cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text
        }
        return (header.contains { !$0.isEmpty } ? [terminal.styled(line(header), .dim)] : []) + rows.map(line)
    }
}
