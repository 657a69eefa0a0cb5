// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// AppKit's entry point, which here returns at once.
@MainActor
public func NSApplicationMain(
    _ argc: Int32, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 { argc }
