import AppReceiptTesting
import Conformance

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

// Runs the attack catalogs and every alteration of a receipt against the verifier as it is compiled here. Exit status 1
// if any result differs from the expected one. A release build of this program is small and finds miscompiled code.

var failures: [String] = []

for attack in Attack.all {
    failures += attack.deviations().map { "\(attack): \($0)" }
}
print("Attacks on receipts: \(Attack.all.count), each with its twin")

for attack in SignedDataAttack.all {
    failures += attack.deviations().map { "\(attack): \($0)" }
}
print("Attacks on signed data: \(SignedDataAttack.all.count), each with its twin")

for alteration in Alteration.allCases {
    let (tried, deviations) = try alteration.deviations()
    failures += deviations.map { "\(alteration.rawValue): \($0)" }
    print("Alterations of a receipt, \(alteration.rawValue): \(tried)")
}

for failure in failures.prefix(100) { print("FAILED \(failure)") }
guard failures.isEmpty, Attack.all.count > 350, SignedDataAttack.all.count > 150 else {
    print("\(failures.count) results differ from the catalog.")
    exit(1)
}
print("Every result is as expected.")
