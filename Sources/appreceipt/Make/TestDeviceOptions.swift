import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The device that test data of StoreKit 2 is signed for.
struct TestDeviceOptions: ParsableArguments {
    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp("The device that it is signed for: its deviceVerificationID.", valueName: "uuid"),
        transform: ArgumentConversion.uuid)
    var device: UUID?

    /// The device, with the nonce of test data.
    var deviceAndNonce: (UUID, UUID)? { device.map { ($0, SignedDataOptions.nonce) } }
}
