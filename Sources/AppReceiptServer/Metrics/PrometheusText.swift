#if Server
/// The parts of Prometheus' text format.
enum PrometheusText {
    /// Returns the line of a sample.
    static func sample(_ name: String, labels: String, value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// Returns a valid name: characters that aren't allowed become underscores.
    static func name(_ text: String) -> String {
        let valid = text.unicodeScalars.map { scalar -> Character in
            isAllowed(scalar) || scalar == ":" ? Character(scalar) : "_"
        }
        guard let first = valid.first else { return "_" }
        return first.isNumber ? "_" + String(valid) : String(valid)
    }

    /// Returns labels in the order of their names, without braces.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { (label($0.0), $0.1) }.sorted { $0.0 < $1.0 }
            .map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    }

    /// Returns a number, without a fraction if it is whole.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.rounded() == value && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
    }

    /// Returns a help text, escaped.
    static func help(_ text: String) -> String {
        text.replacingCharacters(["\\": "\\\\", "\n": "\\n"])
    }

    private static func label(_ text: String) -> String {
        let valid = name(text).unicodeScalars.map { $0 == ":" ? "_" : Character($0) }
        // Prometheus reserves names that begin with two underscores.
        return String(valid).hasPrefix("__") ? "label" + String(valid) : String(valid)
    }

    private static func escaped(_ text: String) -> String {
        text.replacingCharacters(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}

extension String {
    fileprivate func replacingCharacters(_ replacements: [Character: String]) -> String {
        reduce(into: "") { $0 += replacements[$1] ?? String($1) }
    }
}
#endif
