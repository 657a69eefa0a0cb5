#if Server
/// How Prometheus' text format writes things.
enum PrometheusText {
    /// A line.
    static func sample(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// A name of the characters that are allowed in one.
    static func name(_ text: String) -> String {
        let fit = text.unicodeScalars.map { scalar -> Character in
            isFit(scalar) || scalar == ":" ? Character(scalar) : "_"
        }
        guard let first = fit.first else { return "_" }
        return first.isNumber ? "_" + String(fit) : String(fit)
    }

    /// Labels in the order of their names, without braces.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { (label($0.0), $0.1) }.sorted { $0.0 < $1.0 }
            .map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    }

    /// A number; whole ones without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.rounded() == value && value.magnitude < 1e15 ? String(Int64(value)) : String(value)
    }

    /// A text after `HELP`.
    static func help(_ text: String) -> String {
        text.replacingCharacters(["\\": "\\\\", "\n": "\\n"])
    }

    private static func label(_ text: String) -> String {
        let fit = name(text).unicodeScalars.map { $0 == ":" ? "_" : Character($0) }
        // What begins with two underscores is Prometheus' own.
        return String(fit).hasPrefix("__") ? "label" + String(fit) : String(fit)
    }

    private static func escaped(_ text: String) -> String {
        text.replacingCharacters(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
    }

    private static func isFit(_ scalar: Unicode.Scalar) -> Bool {
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
