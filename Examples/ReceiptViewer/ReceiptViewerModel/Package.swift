// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

let package = Package(
    name: "ReceiptViewerModel",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [.library(name: "ReceiptViewerModel", targets: ["ReceiptViewerModel"])],
    dependencies: [.package(name: "AppReceiptKit", path: "../../..")],
    targets: [
        .target(
            name: "ReceiptViewerModel",
            dependencies: [
                .product(name: "AppReceiptKit", package: "AppReceiptKit"),
                .product(name: "AppStoreSignedData", package: "AppReceiptKit"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ReceiptViewerModelTests",
            dependencies: ["ReceiptViewerModel", .product(name: "AppReceiptTesting", package: "AppReceiptKit")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
