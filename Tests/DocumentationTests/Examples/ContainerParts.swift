import AppReceiptParsing
import Foundation

/// The signed payload and the certificates of a receipt, to write them to files. Nothing is verified.
func parts(of receipt: Data) throws(ReceiptError) -> (payload: Data, certificates: [Data]) {
    let container = try ReceiptContainer(parsing: receipt)
    return (Data(container.content), container.certificates.map { Data($0) })
}
