import ArgumentParser

// Help of options by the kind of their value, which help shows as `<date>` or `<file>`.

extension ArgumentHelp {
    static func date(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "date") }
    static func file(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "file") }
    static func folder(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "dir") }
    static func id(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "id") }
    static func identifier(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "identifier") }
    static func product(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "product") }
    static func uuid(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "uuid") }
    static func url(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "url") }
    static func number(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "number") }
    static func bytes(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "bytes") }
    static func seconds(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: "seconds") }
}
