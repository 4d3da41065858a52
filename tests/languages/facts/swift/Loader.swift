import Core
import Foundation

/// Loads pages.
@MainActor
public final class Loader: Base<Page>, Api.Runner {
//                 ^ bases: Api.Runner, Base
//                 ^ decorators: @MainActor
//                 ^ marks: final
//                 ^ doc: Loads pages.
//                 ^ visibility: public
    private let source: Source
//              ^ types: source: Source annotation
//              ^ visibility: private
    var state = "idle"
//      ^ types: state: String literal
//      ^ writes: state
    static let cache = Cache(size: 7)
//             ^ types: cache: Cache constructor
//             ^ marks: static
//             ^ calls: Cache
    var size: Int { cache.size }
//      ^ returns: Int
//      ^ returned: 1
//      ^ reads: cache, cache.size

    init(source: Source, limit: Int = 3) throws {
//  ^ params: source: Source | limit: Int = 3
//  ^ marks: throws
//  ^ mutations: self.source
//  ^ aliases: self.source=source
        self.source = source
    }

    /// Loads one page.
    @discardableResult
    override public func load(_ url: String, size: Int = 10, from rest: Page?..., then: @escaping (Int) -> Void = { _ in }) async throws -> [Page]? {
//                       ^ params: url: String | size: Int = 10 | rest: Page? | then: (Int) -> Void = { _ in }
//                       ^ returns: [Page]?
//                       ^ marks: async, override, throws
//                       ^ decorators: @discardableResult
//                       ^ visibility: public
//                       ^ doc: Loads one page.
//                       ^ throws: LoadError, e
//                       ^ awaits: source.start, stream
//                       ^ calls: LoadError.lost, Page, both, job.run, print, rest.forEach, source.start, then, x.go
//                       ^ reads: cache, e, error, first, found, item, item.size, job, n, other, other.name, page, rest, rest.first, size, source, stream, total, url, x
//                       ^ writes: cast, choice, first, found, item, job, left, n, other, page, right, state, total, x
//                       ^ mutations: cache[], item.count, self.state
//                       ^ aliases: cache[]=item, other=page, self.state=other.name
//                       ^ types: url: String annotation, size: Int annotation, rest: Page? annotation, then: (Int) -> Void annotation, page: Page constructor, n: Int literal, total: Int64 annotation, item.count: Int literal, state: String literal, cast: Page constructor
//                       ^ branches: 9
//                       ^ loops: 4
//                       ^ breaks: 2
//                       ^ continues: 1
//                       ^ returned: 3
//                       ^ has names: LoadError, Page, cache, url, Failure
        let page = Page(url: url)
        let n = 3
        let other = page
        var total: Int64 = 0
        let job = try await source.start()
        guard let first = rest.first else { return nil }
        for item in rest {
            if item == first { continue }
            total += item.size
            cache[url] = item
            item.count = 2
            if total > size { break } else { then(1) }
        }
        while n < 1 { total -= 1 }
        repeat { total += 1 } while n < 1
        switch n {
        case 1, 2: state = "few"
        case is Int: return []
        default: break
        }
        do { try job.run() } catch let e as Failure { throw e } catch { print(error) }
        rest.forEach { x in return x.go() }
        self.state = other.name
        let found = both()
        let cast = found as? Page
        let (left, right) = both()
        let choice = n > 1 ? total : n
        for await x in stream { x.go() }
        if total > 2 { throw LoadError.lost(1) }
        return [page]
    }

    static func make() -> Loader { Loader(source: Source()) }
//              ^ returns: Loader
//              ^ returned: 1
//              ^ marks: static
}
