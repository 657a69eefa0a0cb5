// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ConstantRoute",
    platforms: [.macOS(.v14)],
    dependencies: [.package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0")],
    targets: [
        .executableTarget(
            name: "constant-route",
            dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
            path: "Sources",
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")])
    ],
    swiftLanguageModes: [.v6]
)
