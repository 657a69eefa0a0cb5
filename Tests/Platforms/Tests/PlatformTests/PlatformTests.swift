import Testing

/// What the stand-ins answer is shared by all tests, so they run one after the other.
@Suite("Platforms", .serialized)
struct PlatformTests {
    @Test("exactly one platform's shape is compiled")
    func oneShape() {
        var shapes: [String] = []
        #if SHAPE_MACOS
        shapes.append("macOS")
        #endif
        #if SHAPE_CATALYST
        shapes.append("Catalyst")
        #endif
        #if SHAPE_IOS
        shapes.append("iOS")
        #endif
        #if SHAPE_WATCHOS
        shapes.append("watchOS")
        #endif
        #expect(shapes.count == 1, "\(shapes)")
    }
}
