/// A claimed seat of a purchase for several people.
struct FakeServerSeatClaim {
    let identifier: String
    let requestIdentifier: String
    /// The member, if known.
    var appTransaction: String?
}
