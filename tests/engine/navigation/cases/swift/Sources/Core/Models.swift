import Foundation

public protocol Named {
    var title: String { get }
    func describe() -> String
}

extension Named {
    public func describe() -> String { title }
//                                     ^ -> Named.title
    func shortened() -> String { describe() }
}

open class Entity: Named {
//                 ^ -> Named
    public let id: Int
    public var title: String { "entity" }

    public init(id: Int) {
        self.id = id
//           ^ -> Entity.id
    }

    open func save() throws -> Bool { id > 0 }
//                                    ^ -> Entity.id

    class func make() -> Self { Self(id: 0) }
}

public enum Status {
    case open
    case closed(reason: String)

    var isOpen: Bool {
        switch self {
        case .open: return true
        default: return false
        }
    }

    static let initial: Status = .open
//                                ^ -> Status.open
}

public struct Money: Equatable {
//                   ^ external
    public var cents: Int

    static func + (left: Money, right: Money) -> Money {
        Money(cents: left.cents + right.cents)
//      ^ -> Money
//                        ^ -> Money.cents
//                                      ^ -> Money.cents
    }
}

public struct Line {
    var price: Money
    func total() -> Money { price }
//                          ^ -> Line.price
}

actor Counter {
    private var count = 0
    func bump() { count += 1 }
//                ^ -> Counter.count
}

private func secret() {}
