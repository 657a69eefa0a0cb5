// The samples. Their identifiers are the names of the server's files.

export const SAMPLES = [
  ["production-subscriptions", "Production receipt", "An iOS app with two subscriptions, a lifetime purchase and a consumable."],
  ["subscription-history", "Subscription history", "Trial, introductory price, an offer, an upgrade, a refund and a pause."],
  ["forged", "Forgery", "The right names, signed with other keys. Not valid."],
  ["mac-device", "Mac receipt", "Created for one Mac. Check it against device 02:00:00:00:00:01."],
  ["volume-purchase", "Volume purchase", "Bought by an organization, with an expiration date."],
  ["xcode", "Xcode receipt", "From local testing, in BER. Proves nothing about a purchase."],
  ["transaction", "Signed transaction", "StoreKit 2: one period of a subscription, as a JWS."],
  ["notification", "Server notification", "Version 2: a renewal, with nested signed data."],
];
