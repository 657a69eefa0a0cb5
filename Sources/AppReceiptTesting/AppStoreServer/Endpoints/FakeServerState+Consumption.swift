import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    /// Send Consumption Information.
    mutating func consumption(_ call: FakeServerCall, version: Int) throws -> FakeServerAnswer {
        let transaction = try transaction(call.identifier(), call).1
        guard transaction.ownership != PurchaseOwnership.familyShared.rawValue else {
            throw FakeServerError.familyTransactionNotSupported
        }
        let body = try call.object()
        if version == 1 {
            try FakeServerConsumptionRules.checkVersion1(body, for: transaction)
        } else {
            try FakeServerConsumptionRules.check(body, for: transaction)
        }
        scopes[call.scope]?.consumption.append(
            FakeAppStoreServer.Consumption(version: version, transactionIdentifier: call.argument, body: body))
        return FakeServerAnswer(status: 202)
    }
}
