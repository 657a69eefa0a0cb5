// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A stand-in for AppKit's entry point. It returns immediately.
@MainActor
public func NSApplicationMain(
    _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 { argc }
