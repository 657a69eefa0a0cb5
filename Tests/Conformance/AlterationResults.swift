/// The results of verifying many alterations of one receipt.
struct AlterationResults: Sendable {
    /// The number of alterations that were verified.
    var tried: Int
    /// The positions at which an alteration is accepted and changes neither contents nor signer.
    var accepted: [Int] = []
    /// The positions at which an alteration is accepted and changes something that is signed.
    var forged: [Int] = []
}
