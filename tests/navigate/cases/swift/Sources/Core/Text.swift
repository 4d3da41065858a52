extension String {
    func shout() -> String { trimmed() + "!" }
//                           ^ -> String.trimmed
    fileprivate func trimmed() -> String { self }
}

public typealias Price = Money
//                       ^ -> Sources/Core/Models.swift Money

public let freeOfCharge = Money(cents: 0)

public func total(of lines: [Line]) -> Money { lines[0].total() }
//                                                      ^ -> Sources/Core/Models.swift Line.total
