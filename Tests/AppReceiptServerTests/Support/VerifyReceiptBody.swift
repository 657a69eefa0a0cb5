#if Server
import AppReceiptSupport
import AppReceiptKit
import Foundation

/// The body of a verifyReceipt request.
func request(_ receipt: [UInt8], _ members: AppStoreJSON.Object = [:]) -> [UInt8] {
    var object: AppStoreJSON.Object = ["receipt-data": .string(Data(receipt).base64EncodedString())]
    for member in members.members { object[member.name] = member.value }
    return AppStoreJSON.object(object).text()
}
#endif
