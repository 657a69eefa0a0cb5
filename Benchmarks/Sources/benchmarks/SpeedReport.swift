import Foundation

/// Formats the results as JSON and as a table.
enum SpeedReport {
    static func json(_ results: [Speed.Result]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(["results": results]), as: UTF8.self)
    }

    static func table(_ results: [Speed.Result]) -> String {
        let header = [
            "benchmark", "median", "least", "most", "× RSA", "× P-256", "× OpenSSL", "× verification", "allocations",
        ]
        let rows = results.map { result in
            [
                result.name, time(result.median), time(result.least), time(result.most), ratio(result.timesRSA),
                ratio(result.timesP256), ratio(result.timesOpenSSL), ratio(result.timesVerification),
                result.allocations.map { String(format: "%.0f", $0) } ?? "",
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            "| "
                + cells.enumerated().map { column, cell in
                    let padding = String(repeating: " ", count: widths[column] - cell.count)
                    return column == 0 ? cell + padding : padding + cell
                }.joined(separator: " | ") + " |"
        }
        let rule =
            "| "
            + widths.enumerated().map {
                $0 == 0 ? String(repeating: "-", count: $1) : String(repeating: "-", count: max($1 - 1, 1)) + ":"
            }.joined(separator: " | ") + " |"
        return ([line(header), rule] + rows.map(line)).joined(separator: "\n")
    }

    private static func time(_ nanoseconds: Double) -> String {
        String(format: nanoseconds < 1e5 ? "%.2f µs" : "%.0f µs", nanoseconds / 1000)
    }

    private static func ratio(_ value: Double?) -> String { value.map { String(format: "%.2f", $0) } ?? "" }
}
