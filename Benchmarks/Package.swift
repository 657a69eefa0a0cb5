// swift-tools-version: 6.2

import Foundation
import PackageDescription

// The classic method needs the headers of OpenSSL; without them everything else is measured, and the program says so.
let hasOpenSSL = ["/usr/include/openssl/pkcs7.h", "/usr/local/include/openssl/pkcs7.h"]
    .contains { FileManager.default.fileExists(atPath: $0) }

let swiftSettings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v11)],
    dependencies: [
        .package(name: "AppReceiptKit", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    ],
    targets: [
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "Allocations",
                .product(name: "AppReceiptKit", package: "AppReceiptKit"),
                .product(name: "AppStoreSignedData", package: "AppReceiptKit"),
                .product(name: "AppReceiptTesting", package: "AppReceiptKit"),
                .product(name: "VerifyReceipt", package: "AppReceiptKit"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ] + (hasOpenSSL ? ["ClassicMethod"] : []),
            swiftSettings: swiftSettings
        ),
        .target(name: "Allocations"),
    ]
        + (hasOpenSSL ? [.target(name: "ClassicMethod", linkerSettings: [.linkedLibrary("crypto")])] : []),
    swiftLanguageModes: [.v6]
)
