package import AppReceiptKit
public import Foundation

extension AppReceiptValidator.Parameters {
    /// The origin of a receipt.
    public enum ReceiptOrigin {
        /// The file in which the system keeps the app's receipt.
        case installedInMainBundle
        /// The given bytes.
        case data(Data)
        /// The result of a function that is called for every validation.
        case dynamic(() -> Data?)

        /// Returns the bytes of the receipt, nil if there are none.
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
                // An empty file is an empty receipt, not a missing one.
                return error.code == .inputEmpty ? Data() : nil
            }
        }
    }
}
