import AppReceiptSupport
import AppStoreServerAPI

// Versions 1.22 and 1.23 of the API. Production doesn't have these endpoints.

@available(AppStoreServerAPI 1.0, *)
extension State {
    private static let maxMembers = 20

    /// Get Customer Groups.
    func groups(_ call: Call) throws -> Answer {
        let customer = try customer(call.identifier(), in: call.scope)
        var groups = scopes[call.scope]?.groups.filter { group in group.members.contains { customer.has($0) } } ?? []
        if !groups.contains(where: { $0.type == "CONSUMER" }) { groups.append(.placeholder) }
        return Answer(body: [
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
    func groupMembers(_ call: Call) throws -> Answer {
        let identifier = try call.identifier(or: .invalidGroupId)
        let groups = (scopes[call.scope]?.groups ?? []) + [.placeholder]
        guard let group = groups.first(where: { $0.identifier == identifier }) else {
            throw APIError.groupNotFound
        }
        let limit =
            try Self.number(call.value("limit"), in: 1...Self.maxMembers, or: .generalBadRequest) ?? Self.maxMembers
        let start =
            try Self.number(call.value("paginationToken"), in: 0...group.members.count, or: .invalidPaginationToken)
            ?? 0
        let page = group.members.dropFirst(start).prefix(limit)
        let hasMore = start + page.count < group.members.count
        var body: AppStoreJSON.Object = [
            "members": .array(page.map { ["appTransactionId": .string($0)] }), "hasMore": .boolean(hasMore),
        ]
        if hasMore { body["paginationToken"] = .string(String(start + page.count)) }
        return Answer(body: body)
    }

    private static func number(
        _ text: String?, in range: ClosedRange<Int>, or error: APIError
    ) throws(APIError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number) else { throw error }
        return number
    }

    /// Get Seat Info.
    func seats(_ call: Call) throws -> Answer {
        let (customer, transaction) = try transaction(call.identifier(), in: call.scope)
        let claims = customer.seats[transaction.identifier] ?? []
        return Answer(body: [
            "totalSeatCount": .number(AppStoreJSON.Number(transaction.seatCount)),
            "availableSeatCount": .number(AppStoreJSON.Number(transaction.seatCount - Int64(claims.count))),
            "assignedSeatClaimIds": .array(claims.map { .string($0.identifier) }),
        ])
    }

    /// Claim Seat. A repeated request has the same claim.
    mutating func claimSeat(_ call: Call) throws -> Answer {
        let (customer, transaction) = try transaction(call.identifier(), in: call.scope)
        let body = try call.object()
        guard let request = body.string("requestIdentifier"), UUIDText.isValid(request) else {
            throw APIError.invalidRequestIdentifier
        }
        let claims = customer.seats[transaction.identifier] ?? []
        if let claim = claims.first(where: { $0.requestIdentifier.lowercased() == request.lowercased() }) {
            return Answer(body: ["seatClaimId": .string(claim.identifier)])
        }
        guard Int64(claims.count) < transaction.seatCount else {
            throw APIError(APIError.generalBadRequest.code, message: "No seats are available.")
        }
        let claim = Customer.SeatClaim(
            identifier: UUIDText.numbered(nextNumber()), requestIdentifier: request,
            appTransaction: body.string("appTransactionId"))
        withCustomer(transaction.identifier, in: call.scope) {
            $0.seats[transaction.identifier, default: []].append(claim)
        }
        return Answer(body: ["seatClaimId": .string(claim.identifier)])
    }

    /// Unclaim Seat. Repeating it has no effect.
    mutating func unclaimSeat(_ call: Call) throws -> Answer {
        let transaction = try transaction(call.argument, in: call.scope).1
        guard let claim = call.arguments.last?.lowercased(), UUIDText.isValid(claim) else {
            throw APIError.generalBadRequest
        }
        withCustomer(transaction.identifier, in: call.scope) {
            $0.seats[transaction.identifier]?.removeAll { $0.identifier == claim }
        }
        return Answer()
    }

    /// Associate Seat.
    mutating func associateSeat(_ call: Call) throws -> Answer {
        let (customer, transaction) = try transaction(call.identifier(), in: call.scope)
        guard let member = try call.object().string("appTransactionId"), !member.isEmpty,
            let claim = call.arguments.last?.lowercased(),
            let index = customer.seats[transaction.identifier]?.firstIndex(where: { $0.identifier == claim })
        else { throw APIError.generalBadRequest }
        withCustomer(transaction.identifier, in: call.scope) {
            $0.seats[transaction.identifier]?[index].appTransaction = member
        }
        return Answer()
    }
}

extension StoredTransaction {
    /// The seats of the transaction that weren't revoked.
    fileprivate var seatCount: Int64 {
        let revoked = members["multiSeatInfo"]?.object?["revokedSeatQuantity"]?.number?.int64 ?? 0
        return max(0, (members["quantity"]?.number?.int64 ?? 1) - revoked)
    }
}
