// benchmarks budgets                  a table of what hostile input of each kind and size costs
// benchmarks budget FILE              one of its cells, in a process of its own
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "budgets":
    try Budgets.printTable()
case "budget" where arguments.count == 2:
    try Budgets.printCell(Array(Data(contentsOf: URL(fileURLWithPath: arguments[1]))))
default:
    FileHandle.standardError.write(Data("usage: benchmarks budgets\n".utf8))
    exit(64)
}
