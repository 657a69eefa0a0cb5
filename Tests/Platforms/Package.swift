// swift-tools-version: 6.2

import PackageDescription

// Compiles the library's sources for an Apple platform, against stand-ins for its frameworks. A trait selects the
// platform. Traits are also compilation conditions, which the sources use in addition to os(). Mac Catalyst has the
// shape of macOS.

let exampleSettings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let settings: [SwiftSetting] = exampleSettings + [.strictMemorySafety()]

/// The settings of the client for the App Store Server API, which declares its systems with a macro, and of its fake.
let apiSettings: [SwiftSetting] =
    settings + [
        .enableExperimentalFeature("AvailabilityMacro=AppStoreServerAPI 1.0:macOS 13, iOS 16, tvOS 16, watchOS 9")
    ]

let standIns: [Target.Dependency] = [
    .target(name: "StoreKit"), .target(name: "IOKit"), .target(name: "UIKit"), .target(name: "WatchKit"),
]

let package = Package(
    name: "Platforms",
    platforms: [.macOS(.v11), .iOS(.v13), .tvOS(.v13), .watchOS("6.2"), .visionOS(.v1)],
    traits: [
        "SHAPE_APPLE",
        .trait(name: "SHAPE_MACOS", enabledTraits: ["SHAPE_APPLE"]),
        .trait(name: "SHAPE_IOS", enabledTraits: ["SHAPE_APPLE"]),
        .trait(name: "SHAPE_WATCHOS", enabledTraits: ["SHAPE_APPLE"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
    ],
    targets: [
        .target(name: "IOKit", path: "Stubs/IOKit"),
        .target(name: "StoreKit", path: "Stubs/StoreKit"),
        .target(name: "UIKit", path: "Stubs/UIKit"),
        .target(name: "WatchKit", path: "Stubs/WatchKit"),
        .target(name: "AppKit", path: "Stubs/AppKit"),
        .target(name: "VendorScript", dependencies: ["UIKit", "WatchKit"], path: "Stubs/VendorScript"),
        .target(name: "UnfairLock", path: "Stubs/UnfairLock"),
        .target(name: "AppReceiptFoundation", swiftSettings: settings),
        .target(
            name: "AppReceiptSupport", dependencies: ["AppReceiptFoundation", "UnfairLock"], swiftSettings: settings),
        .target(
            name: "AppReceiptParsing", dependencies: ["AppReceiptFoundation", "AppReceiptSupport"],
            exclude: ["PrivacyInfo.xcprivacy"],
            swiftSettings: settings),
        .target(
            name: "AppReceiptKit",
            dependencies: [
                "AppReceiptParsing", "AppReceiptFoundation", "AppReceiptSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ] + standIns,
            swiftSettings: settings
        ),
        .target(
            name: "AppStoreSignedData",
            dependencies: [
                "AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport",
                .product(name: "Crypto", package: "swift-crypto"), "StoreKit",
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AppStoreServerAPI",
            dependencies: [
                "AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport", "AppStoreSignedData",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: apiSettings
        ),
        .target(
            name: "AppReceiptTesting",
            dependencies: [
                "AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport", "AppStoreSignedData", "AppStoreServerAPI",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: apiSettings
        ),
        .target(
            name: "AppStoreServerTesting",
            dependencies: [
                "AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport", "AppStoreSignedData", "AppStoreServerAPI",
                "AppReceiptTesting", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: apiSettings
        ),
        .target(
            name: "AppReceiptValidator", dependencies: ["AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport"],
            swiftSettings: settings),
        .target(
            name: "VerifyReceipt",
            dependencies: [
                "AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport", "AppStoreSignedData",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings
        ),
        // The example app: its model with its tests, and its views, which are only compiled.
        .target(name: "CoreTransferable", path: "Stubs/CoreTransferable"),
        .target(name: "SwiftUI", dependencies: ["CoreTransferable", "StoreKit"], path: "Stubs/SwiftUI"),
        .target(
            name: "ReceiptViewerModel", dependencies: ["AppReceiptKit", "AppStoreSignedData"], swiftSettings: settings),
        .target(
            name: "ReceiptViewerMac", dependencies: ["ReceiptViewerModel", "SwiftUI"], swiftSettings: exampleSettings),
        .target(
            name: "ReceiptViewerPhone", dependencies: ["ReceiptViewerModel", "SwiftUI", "StoreKit"],
            swiftSettings: exampleSettings),
        .testTarget(
            name: "ReceiptViewerModelTests", dependencies: ["ReceiptViewerModel", "AppReceiptTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "PlatformTests",
            dependencies: [
                "AppReceiptKit", "AppReceiptTesting", "AppReceiptValidator", "AppStoreSignedData", "VendorScript",
            ] + standIns,
            swiftSettings: settings),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "AppReceiptKit", "AppReceiptTesting", "AppReceiptValidator", "AppStoreSignedData",
                "AppStoreServerTesting", "VerifyReceipt", "AppKit",
            ] + standIns,
            swiftSettings: exampleSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
