#if Server
import AppReceiptSupport
import AppReceiptKit
import Foundation

/// The body of a verifyReceipt request.
func request(_ receipt: [UInt8], _ members: JSONObject = [:]) -> [UInt8] {
    var object: JSONObject = ["receipt-data": .string(Data(receipt).base64EncodedString())]
    for member in members.members { object[member.name] = member.value }
    return JSONValue.object(object).text()
}
#endif
