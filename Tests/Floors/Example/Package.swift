// swift-tools-version: 6.2

import PackageDescription

// A package for test_floors.py, which compiles it and checks it with scripts/check-floors.py.
let package = Package(
    name: "Example",
    platforms: [.macOS(.v11), .iOS(.v13), .tvOS(.v13), .watchOS("6.2"), .visionOS(.v1), .macCatalyst(.v13)],
    targets: [
        .target(
            name: "Example",
            swiftSettings: [
                .enableExperimentalFeature(
                    "AvailabilityMacro=ExampleServer 1.0:macOS 14, iOS 17, tvOS 17, watchOS 10")
            ])
    ]
)
