#if Server
import AppReceiptSupport
import AppReceiptKit

extension AppStoreJSON {
    subscript(name: String) -> AppStoreJSON? { object?[name] }
    subscript(index: Int) -> AppStoreJSON? { array.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
}
#endif
