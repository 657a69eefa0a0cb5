package import AppReceiptKit
public import Foundation

extension AppReceiptValidator.Parameters {
    /// Where a receipt comes from.
    public enum ReceiptOrigin {
        /// From where the system keeps the receipt of this app.
        case installedInMainBundle
        /// From these bytes.
        case data(Data)
        /// From this function, called at every validation.
        case dynamic(() -> Data?)

        /// The bytes, nil if there are none to be had.
        public func loadData() -> Data? {
            switch self {
            case .data(let data): return data
            case .dynamic(let load): return load()
            case .installedInMainBundle: return Self.data(at: .mainBundle)
            }
        }

        package static func data(at location: ReceiptLocation) -> Data? {
            do throws(ReceiptError) {
                return Data(try location.contents())
            } catch {
                // There is a receipt, with nothing in it.
                return error.code == .inputEmpty ? Data() : nil
            }
        }
    }
}
