package import AppReceiptSupport

extension JSONValue.Fault {
    /// The fault as a predicate, for example `not a JSON object (at byte 7)`.
    package var predicate: String {
        switch self {
        case .malformed(let position): "not a JSON object (at byte \(position))"
        case .duplicateMember(let position): "JSON with a duplicate member (at byte \(position))"
        case .tooDeep(let position): "nested too deeply (at byte \(position))"
        }
    }
}
