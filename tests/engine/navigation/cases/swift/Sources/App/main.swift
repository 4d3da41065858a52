import Core
import Foundation

struct Failure: Error {
    let reason: String
}

final class Runner {
    let order: Order
//             ^ -> Sources/Core/Order.swift Order
    private let queue = DispatchQueue(label: "x")
//                      ^ external

    init(order: Order) { self.order = order }

    func run(price: Price, name: String?) async throws {
        try await order.save()
//                      ^ -> Sources/Core/Order.swift Order.save
        order.reset()
//            ^ -> Sources/Core/Order+Reset.swift Order.reset
        order.quiet()
//            ^ -> Sources/Core/Watcher.swift Watcher.quiet
        price.cents
//            ^ -> Sources/Core/Models.swift Money.cents
        name?.shout()
//            ^ -> Sources/Core/Text.swift String.shout
        let sum = total(of: [])
//                ^ -> Sources/Core/Text.swift total
        sum.cents
//          ^ -> Sources/Core/Models.swift Money.cents
        freeOfCharge.cents
//                   ^ -> Sources/Core/Models.swift Money.cents
        queue.sync { }
//            ^ external
        let made = try? Entity.make()
        made?.save()
//            ^ -> Sources/Core/Models.swift Entity.save
        let cast = thing() as? Order
        cast?.options
//            ^ -> Sources/Core/Order.swift Order.options
        let line = order[0]
        let other = Order.Options.init()
        other.doubled()
//            ^ -> Sources/Core/Order+Reset.swift Order.Options.doubled
        do {
            try helper()
//              ^ -> helper
        } catch let failure as Failure {
            failure.reason
//                  ^ -> Failure.reason
        } catch {
            print(error.localizedDescription)
//                      ^ unresolved
        }
        throw Failure(reason: "x")
//            ^ -> Failure
    }

    private func thing() -> Any { order }
//                                ^ -> Runner.order
}

func helper() throws {}
