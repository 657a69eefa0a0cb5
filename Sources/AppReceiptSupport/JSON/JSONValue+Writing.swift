extension JSONValue {
    /// Returns the value as JSON text in UTF-8, members in their order, slashes as they are.
    ///
    /// Control characters and characters that reorder text are escaped.
    ///
    /// - Parameter isPretty: Whether each member and element is on its own line.
    /// - Returns: The text.
    public func text(isPretty: Bool = false) -> [UInt8] {
        var text: [UInt8] = []
        write(to: &text, indentation: isPretty ? 0 : nil)
        return text
    }

    private func write(to text: inout [UInt8], indentation: Int?) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .boolean(let truth): text.append(contentsOf: (truth ? "true" : "false").utf8)
        case .number(let number): text.append(contentsOf: number.text.utf8)
        case .string(let string): JSONText.append(string, to: &text)
        case .array(let elements):
            Self.write(elements, in: ("[", "]"), to: &text, indentation) { element, text, indentation in
                element.write(to: &text, indentation: indentation)
            }
        case .object(let object):
            Self.write(object.members, in: ("{", "}"), to: &text, indentation) { member, text, indentation in
                JSONText.append(member.name, to: &text)
                text.append(contentsOf: (indentation == nil ? ":" : " : ").utf8)
                member.value.write(to: &text, indentation: indentation)
            }
        }
    }

    private static func write<Part>(
        _ parts: [Part], in brackets: (String, String), to text: inout [UInt8], _ indentation: Int?,
        _ write: (Part, inout [UInt8], Int?) -> Void
    ) {
        func newLine(_ depth: Int?) {
            guard let depth else { return }
            text.append(UInt8(ascii: "\n"))
            text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        text.append(contentsOf: brackets.0.utf8)
        let inner = indentation.map { $0 + 1 }
        for (index, part) in parts.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            newLine(inner)
            write(part, &text, inner)
        }
        if !parts.isEmpty { newLine(indentation) }
        text.append(contentsOf: brackets.1.utf8)
    }
}
