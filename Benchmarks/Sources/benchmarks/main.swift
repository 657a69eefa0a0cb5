// benchmarks budgets                  a table of what hostile input of each kind and size costs
// benchmarks budget KIND BYTES        one of its cells, in a process of its own
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "budgets":
    try Budgets.printTable()
case "budget" where arguments.count == 3:
    guard let kind = HostileInput(rawValue: arguments[1]), let bytes = Int(arguments[2]) else { exit(64) }
    try Budgets.printCell(kind, bytes)
default:
    FileHandle.standardError.write(Data("usage: benchmarks budgets\n".utf8))
    exit(64)
}
