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

extension JSONDecoder {
    func decode(_ text: String) -> Money { decode(Money.self, from: Data()) }
    func parsed() -> Money { self.decode("x") }
//                                ^ -> JSONDecoder.decode
    func again(_ text: String) -> Money { again(text) }
//                                        ^ -> JSONDecoder.again
}

public struct Span {
    var from: Int
    init(_ only: Int) { self.init(from: only) }
//                           ^ unresolved
}

class Plain: Entity {
    func save(twice: Bool) throws -> Bool { try self.save() }
//                                                   ^ ambiguous 2
}

extension URL {
    init(plain: String) { self.init(string: plain)! }
//                             ^ unresolved
    static func made() -> URL { URL.init(string: "x")! }
//                                  ^ unresolved
}
