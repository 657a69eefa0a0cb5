import AppReceiptSupport

/// What an endpoint returns: a status, and an object unless the body is empty.
struct FakeServerAnswer {
    var status = 200
    var body: JSONObject?
}
