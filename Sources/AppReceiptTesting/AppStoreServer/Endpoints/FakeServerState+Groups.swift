import AppReceiptSupport
import AppStoreServerAPI

// Versions 1.22 and 1.23 of the API. Production doesn't have these endpoints.

@available(AppStoreServerAPI 1.0, *)
extension FakeServerState {
    private static let maxMembers = 20

    /// Get Customer Groups.
    func groups(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let customer = try customer(call.identifier(), call)
        var groups = scopes[call.scope]?.groups.filter { group in group.members.contains { customer.has($0) } } ?? []
        if !groups.contains(where: { $0.type == "CONSUMER" }) { groups.append(.placeholder) }
        return FakeServerAnswer(body: [
            "groups": .array(
                groups.map { group in
                    [
                        "groupId": .string(group.identifier), "groupType": .string(group.type),
                        "roles": .array(
                            group.roles.sorted { $0.key < $1.key }.map {
                                ["productId": .string($0.key), "role": .string($0.value)]
                            }),
                    ]
                })
        ])
    }

    /// Get Group Members. A pagination token is the number of members before the page.
    func groupMembers(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let identifier = try call.identifier(or: .invalidGroupId)
        let groups = (scopes[call.scope]?.groups ?? []) + [.placeholder]
        guard let group = groups.first(where: { $0.identifier == identifier }) else {
            throw FakeServerError.groupNotFound
        }
        let limit = try Self.number(call.value("limit"), 1...Self.maxMembers, or: .generalBadRequest) ?? Self.maxMembers
        let start =
            try Self.number(call.value("paginationToken"), 0...group.members.count, or: .invalidPaginationToken) ?? 0
        let page = group.members.dropFirst(start).prefix(limit)
        let hasMore = start + page.count < group.members.count
        var body: JSONObject = [
            "members": .array(page.map { ["appTransactionId": .string($0)] }), "hasMore": .boolean(hasMore),
        ]
        if hasMore { body["paginationToken"] = .string(String(start + page.count)) }
        return FakeServerAnswer(body: body)
    }

    private static func number(
        _ text: String?, _ range: ClosedRange<Int>, or error: FakeServerError
    ) throws(FakeServerError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number) else { throw error }
        return number
    }

    /// Get Seat Info.
    func seats(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let (customer, transaction) = try transaction(call.identifier(), call)
        let claims = customer.seats[transaction.identifier] ?? []
        return FakeServerAnswer(body: [
            "totalSeatCount": .number(JSONNumber(transaction.seatCount)),
            "availableSeatCount": .number(JSONNumber(transaction.seatCount - Int64(claims.count))),
            "assignedSeatClaimIds": .array(claims.map { .string($0.identifier) }),
        ])
    }

    /// Claim Seat. A repeated request has the same claim.
    mutating func claimSeat(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let (customer, transaction) = try transaction(call.identifier(), call)
        let body = try call.object()
        guard let request = body.string("requestIdentifier"), UUIDText.isValid(request) else {
            throw FakeServerError.invalidRequestIdentifier
        }
        let claims = customer.seats[transaction.identifier] ?? []
        if let claim = claims.first(where: { $0.requestIdentifier.lowercased() == request.lowercased() }) {
            return FakeServerAnswer(body: ["seatClaimId": .string(claim.identifier)])
        }
        guard Int64(claims.count) < transaction.seatCount else {
            throw FakeServerError(FakeServerError.generalBadRequest.code, "No seats are available.")
        }
        let claim = FakeServerSeatClaim(
            identifier: UUIDText.numbered(nextNumber()), requestIdentifier: request,
            appTransaction: body.string("appTransactionId"))
        withCustomer(transaction.identifier, in: call.scope) {
            $0.seats[transaction.identifier, default: []].append(claim)
        }
        return FakeServerAnswer(body: ["seatClaimId": .string(claim.identifier)])
    }

    /// Unclaim Seat. Repeating it has no effect.
    mutating func unclaimSeat(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let transaction = try transaction(call.arguments.first ?? "", call).1
        guard let claim = call.arguments.last?.lowercased(), UUIDText.isValid(claim) else {
            throw FakeServerError.generalBadRequest
        }
        withCustomer(transaction.identifier, in: call.scope) {
            $0.seats[transaction.identifier]?.removeAll { $0.identifier == claim }
        }
        return FakeServerAnswer()
    }

    /// Associate Seat.
    mutating func associateSeat(_ call: FakeServerCall) throws -> FakeServerAnswer {
        let (customer, transaction) = try transaction(call.identifier(), call)
        guard let member = try call.object().string("appTransactionId"), !member.isEmpty,
            let claim = call.arguments.last?.lowercased(),
            let index = customer.seats[transaction.identifier]?.firstIndex(where: { $0.identifier == claim })
        else { throw FakeServerError.generalBadRequest }
        withCustomer(transaction.identifier, in: call.scope) {
            $0.seats[transaction.identifier]?[index].appTransaction = member
        }
        return FakeServerAnswer()
    }
}

extension FakeServerTransaction {
    /// The seats of the transaction that weren't revoked.
    fileprivate var seatCount: Int64 {
        let revoked = members["multiSeatInfo"]?.object?["revokedSeatQuantity"]?.number?.int64 ?? 0
        return max(0, (members["quantity"]?.number?.int64 ?? 1) - revoked)
    }
}
