import Foundation

public extension Order {
    func reset() {
        lines.removeAll()
//      ^ -> Sources/Core/Order.swift Order.lines
        status = Status.initial
//      ^ -> Sources/Core/Order.swift Order.status
//                      ^ -> Sources/Core/Models.swift Status.initial
        clear()
//      ^ -> Order.clear
        self.title.shout()
//           ^ -> Sources/Core/Models.swift Entity.title
//                 ^ -> Sources/Core/Text.swift String.shout
    }

    private func clear() {}
}

extension Order.Options {
    func doubled() -> Int { limit * 2 }
//                          ^ -> Sources/Core/Order.swift Order.Options.limit
}

extension Order: CustomStringConvertible, Watcher {
//               ^ external
//                                        ^ -> Sources/Core/Watcher.swift Watcher
    public var description: String { describe() }
    func saved(_ order: Order) { order.options.doubled() }
//                                     ^ -> Sources/Core/Order.swift Order.options
//                                             ^ -> Order.Options.doubled
}
