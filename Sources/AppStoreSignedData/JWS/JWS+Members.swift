import AppReceiptKit
import AppReceiptSupport

extension JWS {
    /// Returns the members of the payload.
    func members(limits: SignedDataLimits) throws(ReceiptError) -> JSONObject {
        let value: JSONValue
        do throws(JSONValue.Fault) {
            value = try JSONValue(parsing: payload[...], depth: limits.maxDepth)
        } catch {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload is \(error.predicate).")
        }
        guard let object = value.object else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload isn't a JSON object.")
        }
        // Genuine data has a few dozen members, and each lookup of a claim searches all of them.
        guard object.members.count <= 1000 else {
            throw ReceiptError(.tokenPayloadMalformed, "The token's payload has more than 1,000 members.")
        }
        return object
    }
}
