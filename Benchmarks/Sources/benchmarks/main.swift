// benchmarks [speed] [--json] [--seconds N]   measures parsing and verifying, and baselines
// benchmarks repeat NAME COUNT               runs one benchmark COUNT times, for a profiler
// benchmarks budgets                         writes a table of the cost of hostile input by kind and size
// benchmarks budget FILE                     measures one of its cells
import Foundation

func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

func measureSpeed(_ options: [String]) throws {
    var seconds = 30.0
    var isJSON = false
    var rest = options[...]
    while let option = rest.popFirst() {
        switch option {
        case "--json": isJSON = true
        case "--seconds":
            guard let value = rest.popFirst().flatMap(Double.init), value > 0 else { usage() }
            seconds = value
        default: usage()
        }
    }
    #if !canImport(ClassicMethod)
    complain("SKIPPED: the OpenSSL method. Its headers are missing: install libssl-dev, then build again.")
    #endif
    complain("Making receipts …")
    let speed = try Speed.all()
    complain("Measuring for \(Int(seconds)) s …")
    let isTerminal = isatty(2) == 1
    let results = try speed.run(seconds: seconds) {
        if isTerminal { FileHandle.standardError.write(Data("\r\($0)".utf8)) }
    }
    if isTerminal { complain("") }
    print(isJSON ? try SpeedReport.json(results) : SpeedReport.table(results))
}

func usage() -> Never {
    complain("usage: benchmarks [speed] [--json] [--seconds N] | benchmarks repeat NAME COUNT | benchmarks budgets")
    exit(64)
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "budgets" where arguments.count == 1:
    try Budgets.printTable()
case "budget" where arguments.count == 2:
    try Budgets.printCell(Array(Data(contentsOf: URL(fileURLWithPath: arguments[1]))))
case "speed":
    try measureSpeed(Array(arguments.dropFirst()))
case "repeat" where arguments.count == 3:
    guard let benchmark = try Speed.all(needed: arguments[1]).benchmarks.first(where: { $0.name == arguments[1] }),
        let count = Int(arguments[2])
    else { usage() }
    for call in 0..<count { try benchmark.body(call % benchmark.variants) }
case nil, "--json", "--seconds":
    try measureSpeed(arguments)
default:
    usage()
}
