// swift-tools-version: 6.2

import PackageDescription

/// The settings for the documentation's examples, which don't mark unsafe code.
let exampleSettings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The settings for all other targets. The availability macros name the systems of the server, and of the App Store
/// Server API's client.
let settings: [SwiftSetting] =
    exampleSettings + [
        .strictMemorySafety(),
        .enableExperimentalFeature("AvailabilityMacro=AppReceiptServer 1.0:macOS 14, iOS 17, tvOS 17, watchOS 10"),
        .enableExperimentalFeature("AvailabilityMacro=AppStoreServerAPI 1.0:macOS 13, iOS 16, tvOS 16, watchOS 9"),
    ]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// The dependencies of the server. All are conditional on the trait, so they aren't fetched without it.
let server: TargetDependencyCondition? = .when(traits: ["Server"])
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird", condition: server)
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird", condition: server)
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio", condition: server)
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio", condition: server)
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio", condition: server)
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio", condition: server)
let nioHTTP: Target.Dependency = .product(name: "NIOHTTPTypes", package: "swift-nio-extras", condition: server)
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types", condition: server)
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log", condition: server)
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics", condition: server)
let tracing: Target.Dependency = .product(
    name: "Tracing", package: "swift-distributed-tracing", condition: server)
let lifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: server)
let signals: Target.Dependency = .product(
    name: "UnixSignals", package: "swift-service-lifecycle", condition: server)
let asyncHTTPClient: Target.Dependency = .product(
    name: "AsyncHTTPClient", package: "async-http-client", condition: server)
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift", condition: server)
let libpq: Target.Dependency = .target(name: "CPostgreSQL", condition: .when(traits: ["Postgres"]))

// Apple's tools collect privacy manifests from packages. On other platforms, a resource would only link all of
// Foundation.
#if canImport(Darwin)
let privacyManifest: (exclude: [String], resources: [Resource]?) = ([], [.copy("PrivacyInfo.xcprivacy")])
#else
let privacyManifest: (exclude: [String], resources: [Resource]?) = (["PrivacyInfo.xcprivacy"], nil)
#endif

let package = Package(
    name: "AppReceiptKit",
    platforms: [.macOS(.v11), .iOS(.v13), .tvOS(.v13), .watchOS("6.2"), .visionOS(.v1)],
    products: [
        .library(name: "AppReceiptParsing", targets: ["AppReceiptParsing"]),
        .library(name: "AppReceiptKit", targets: ["AppReceiptKit"]),
        .library(name: "AppReceiptValidator", targets: ["AppReceiptValidator"]),
        .library(name: "AppReceiptValidatorDynamic", type: .dynamic, targets: ["AppReceiptValidator"]),
        .library(name: "AppStoreSignedData", targets: ["AppStoreSignedData"]),
        .library(name: "VerifyReceipt", targets: ["VerifyReceipt"]),
        .library(name: "AppStoreServerAPI", targets: ["AppStoreServerAPI"]),
        .library(name: "AppReceiptTesting", targets: ["AppReceiptTesting"]),
        .library(name: "AppStoreServerTesting", targets: ["AppStoreServerTesting"]),
        .library(name: "AppReceiptStore", targets: ["AppReceiptStore"]),
        .library(name: "AppReceiptServer", targets: ["AppReceiptServer"]),
        .executable(name: "appreceipt", targets: ["appreceipt"]),
    ],
    traits: [
        .trait(
            name: "Server",
            description: "AppReceiptServer and appreceipt serve: verifyReceipt over HTTP, JSON API, web inspector."
        ),
        .trait(
            name: "Postgres",
            description: "The server's state in PostgreSQL, for several servers. Needs libpq.",
            enabledTraits: ["Server"]
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.9.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0", traits: []),
    ],
    targets: [
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // Part of Apple's SDKs, and on Linux required by Swift itself.
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "AppReceiptFoundation", swiftSettings: settings),
        .target(name: "AppReceiptSupport", dependencies: ["AppReceiptFoundation"], swiftSettings: settings),
        .target(
            name: "AppReceiptParsing",
            dependencies: ["AppReceiptFoundation", "AppReceiptSupport"],
            exclude: privacyManifest.exclude,
            resources: privacyManifest.resources,
            swiftSettings: settings
        ),
        .target(
            name: "AppReceiptKit",
            dependencies: [
                "AppReceiptParsing", "AppReceiptFoundation", "AppReceiptSupport", crypto, cryptoExtras, x509, asn1,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AppReceiptValidator", dependencies: ["AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport"],
            swiftSettings: settings
        ),
        .target(
            name: "AppStoreSignedData",
            dependencies: ["AppReceiptKit", "AppReceiptFoundation", "AppReceiptSupport", crypto],
            swiftSettings: settings
        ),
        .target(
            name: "VerifyReceipt",
            dependencies: [
                "AppReceiptKit", "AppStoreSignedData", "AppReceiptFoundation", "AppReceiptSupport", crypto,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AppStoreServerAPI",
            dependencies: [
                "AppReceiptKit", "AppStoreSignedData", "AppReceiptFoundation", "AppReceiptSupport", crypto,
                asyncHTTPClient, nioCore, nioPosix,
                nioHTTP1,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AppReceiptTesting",
            dependencies: [
                "AppReceiptParsing", "AppReceiptKit", "AppStoreSignedData", "AppReceiptFoundation", "AppReceiptSupport",
                crypto, cryptoExtras,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AppStoreServerTesting",
            dependencies: [
                "AppReceiptKit", "AppStoreSignedData", "AppStoreServerAPI", "AppReceiptTesting", "AppReceiptFoundation",
                "AppReceiptSupport",
                crypto,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AppReceiptStore",
            dependencies: [
                "AppReceiptKit", "AppStoreSignedData", "AppReceiptFoundation", "AppReceiptSupport", crypto, grdb, libpq,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "AppReceiptServer",
            dependencies: [
                "AppReceiptKit", "AppReceiptStore", "AppStoreSignedData", "AppStoreServerAPI", "VerifyReceipt",
                "AppReceiptFoundation", "AppReceiptSupport", crypto, asyncHTTPClient, hummingbird, hummingbirdCore,
                nioCore, nioPosix, nioHTTP, httpTypes, logging, metrics, tracing, lifecycle,
                signals,
            ],
            exclude: ["Routes/openapi.json", "Inspector/Page"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "appreceipt",
            dependencies: [
                "AppReceiptKit", "AppStoreSignedData", "VerifyReceipt", "AppStoreServerAPI", "AppReceiptTesting",
                "AppStoreServerTesting", "AppReceiptFoundation", "AppReceiptSupport", "CZlib",
                argumentParser,
                .target(name: "AppReceiptServer", condition: server),
                .target(name: "AppReceiptStore", condition: server), hummingbird, nioCore, httpTypes, logging,
            ],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptKit", "AppReceiptTesting",
                "AppStoreSignedData", "VerifyReceipt",
            ],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .target(
            name: "Scenarios",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptKit", "AppStoreSignedData", "VerifyReceipt",
                "AppReceiptTesting",
                "TestSupport",
            ],
            path: "Tests/Scenarios", swiftSettings: settings
        ),
        .target(
            name: "StoreTestSupport",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptKit", "AppReceiptStore", "AppStoreSignedData",
                "AppReceiptTesting", "TestSupport", libpq,
            ],
            path: "Tests/StoreTestSupport", swiftSettings: settings
        ),
        .target(
            name: "Conformance",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptKit", "AppStoreSignedData", "AppReceiptTesting",
            ],
            path: "Tests/Conformance", swiftSettings: settings
        ),
        .executableTarget(
            name: "check-conformance",
            dependencies: ["AppReceiptFoundation", "AppReceiptSupport", "Conformance", "AppReceiptTesting"],
            path: "Tests/check-conformance", swiftSettings: settings
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "Conformance", "AppReceiptKit", "AppReceiptTesting",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptSupportTests",
            dependencies: ["AppReceiptFoundation", "AppReceiptSupport", "AppReceiptTesting", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptParsingTests",
            dependencies: [
                "AppReceiptParsing", "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptTesting", "AppReceiptKit",
                "AppStoreSignedData",
                "VerifyReceipt", "TestSupport", asn1,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptKitTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptKit", "AppReceiptTesting", "TestSupport",
                crypto, cryptoExtras, x509,
                asn1,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptValidatorTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptValidator", "AppReceiptKit",
                "AppReceiptTesting", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppStoreSignedDataTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppStoreSignedData", "AppReceiptKit", "AppReceiptTesting",
                "TestSupport", crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "VerifyReceiptTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "VerifyReceipt", "AppStoreSignedData", "AppReceiptKit",
                "AppReceiptTesting",
                "TestSupport", asn1, x509,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppStoreServerAPITests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppStoreServerAPI", "AppStoreSignedData", "AppReceiptKit",
                "AppReceiptTesting",
                "AppStoreServerTesting", "TestSupport", crypto, nioCore, nioPosix,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptTestingTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptTesting", "AppReceiptKit", "AppStoreSignedData",
                "TestSupport", crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppStoreServerTestingTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppStoreServerTesting", "AppReceiptTesting",
                "AppReceiptKit",
                "AppStoreSignedData",
                "AppStoreServerAPI", "TestSupport", crypto,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptStoreTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptStore", "VerifyReceipt", "AppStoreSignedData",
                "AppReceiptKit", "AppReceiptTesting", "Scenarios", "StoreTestSupport", "TestSupport", grdb,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AppReceiptServerTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "AppReceiptServer", "AppReceiptStore", "VerifyReceipt",
                "AppStoreSignedData", "AppReceiptKit", "AppReceiptTesting", "AppStoreServerAPI",
                "AppStoreServerTesting", "StoreTestSupport", "TestSupport", hummingbird, nioCore, nioEmbedded, nioHTTP,
                httpTypes, logging, metrics, tracing, lifecycle, grdb,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "appreceiptTests",
            dependencies: [
                "AppReceiptFoundation", "AppReceiptSupport", "appreceipt", "AppReceiptKit", "AppReceiptTesting",
                "AppStoreSignedData",
                "AppStoreServerAPI", "AppStoreServerTesting",
                "VerifyReceipt",
                "Scenarios", "TestSupport", argumentParser,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "AppReceiptKit", "AppReceiptParsing", "AppReceiptValidator", "AppStoreSignedData", "VerifyReceipt",
                "AppStoreServerAPI", "AppReceiptTesting", "AppStoreServerTesting", "AppReceiptFoundation",
                "AppReceiptSupport", "TestSupport",
                .target(name: "AppReceiptServer", condition: server),
                .target(name: "AppReceiptStore", condition: server), logging, crypto,
            ],
            swiftSettings: exampleSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)
