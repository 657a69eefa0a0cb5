// swift-tools-version: 6.2

import PackageDescription

// Built by scripts/fuzz.sh, with libFuzzer's instrumentation and the address sanitizer in every module.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v11)],
    dependencies: [.package(name: "AppReceiptKit", path: "..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "AppReceiptKit", package: "AppReceiptKit"),
                .product(name: "AppStoreSignedData", package: "AppReceiptKit"),
                .product(name: "VerifyReceipt", package: "AppReceiptKit"),
                .product(name: "AppReceiptTesting", package: "AppReceiptKit"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        )
    ],
    swiftLanguageModes: [.v6]
)
