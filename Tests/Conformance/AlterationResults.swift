/// What a verifier made of many alterations of one receipt.
struct AlterationResults: Sendable {
    /// How many alterations were verified.
    var tried: Int
    /// The positions at which an alteration is accepted and changes neither contents nor signer.
    var accepted: [Int] = []
    /// The positions at which an alteration is accepted and changes something that is signed.
    var forged: [Int] = []
}
