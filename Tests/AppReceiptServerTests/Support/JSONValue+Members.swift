#if Server
import AppReceiptSupport
import AppReceiptKit

extension JSONValue {
    subscript(name: String) -> JSONValue? { object?[name] }
    subscript(index: Int) -> JSONValue? { array.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
}
#endif
