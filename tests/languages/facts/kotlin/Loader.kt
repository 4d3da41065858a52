package com.example.load

import com.example.core.Page
import com.example.io.Reader as Source

/** Loads pages. */
@Service("pages")
abstract class Loader(private val source: Source, limit: Int = 3) : Base(limit), api.Runner {
//             ^ params: source: Source | limit: Int = 3
//             ^ bases: Base, api.Runner
//             ^ decorators: @Service("pages")
//             ^ marks: abstract
//             ^ doc: Loads pages.
//             ^ visibility: public
  var state: String = "idle"
//    ^ types: state: String annotation
//    ^ writes: state
  private val cache = Cache<Page>(7)
//            ^ types: cache: Cache constructor
//            ^ visibility: private
//            ^ calls: Cache
//            ^ imports: com.example.core
  lateinit var parts: MutableList<String>
//             ^ marks: lateinit

  val ready: Boolean
//    ^ returns: Boolean
//    ^ returned: 1
//    ^ reads: state
    get() = state == "ready"

  /** Loads one page. */
  @Throws(IOException::class)
  protected override suspend fun load(url: String, size: Int = 10, vararg rest: Page?, then: (Int) -> Unit = {}): List<Page>? {
//                               ^ params: url: String | size: Int = 10 | rest: Page? | then: (Int) -> Unit = {}
//                               ^ returns: List<Page>?
//                               ^ marks: async, override
//                               ^ decorators: @Throws(IOException::class)
//                               ^ visibility: protected
//                               ^ doc: Loads one page.
//                               ^ throws: GoneException, IOException, e
//                               ^ awaits: source.start
//                               ^ calls: Page, Source.open, both, it.go, job.run, listOf, rest.forEach, source.start, source.start().await, then
//                               ^ imports: com.example.core, com.example.io
//                               ^ reads: cache, e, found, it, item, item.size, job, n, other, other.name, page, rest, size, source, total, url
//                               ^ writes: cast, found, item, job, left, n, name, opened, other, page, right, state, total
//                               ^ mutations: cache[], item.count, this.state
//                               ^ aliases: cache[]=item, other=page, this.state=other.name
//                               ^ types: url: String annotation, size: Int annotation, rest: Page? annotation, then: (Int) -> Unit annotation, e: Failure annotation, page: Page constructor, n: Int literal, total: Long annotation, state: String literal, cast: Page constructor, name: String literal
//                               ^ branches: 6
//                               ^ loops: 3
//                               ^ breaks: 2
//                               ^ continues: 1
//                               ^ returned: 2
//                               ^ has names: GoneException, Page, cache, url, Failure
    val page = Page(url)
    val n = 3
    val other = page
    var total: Long = 0
    val job = source.start().await()
    for (item in rest) {
      if (item == null) continue
      total += item.size
      cache[url] = item
      item.count++
      if (total > size) break else then(1)
    }
    while (n < 1) { total-- }
    do { break } while (n < 1)
    when (n) {
      1, 2 -> state = "few"
      is Int -> return null
      else -> {}
    }
    try { job.run() } catch (e: Failure) { throw e }
    rest.forEach { it?.go(); return@forEach }
    this.state = other.name
    val found = both()
    val cast = found as Page
    val (left, right) = both()
    val opened = Source.open()
    val name = "a"
    if (total > 2) throw GoneException("x")
    return listOf(page)
  }

  fun short() = cache.size
//    ^ returned: 1
//    ^ reads: cache, cache.size
//    ^ marks:

  inline operator fun plus(other: Loader): Int {
//                    ^ params: other: Loader
//                    ^ marks: inline, operator
//                    ^ returned: 1
    val twice = fun(x: Int): Int { return x * 2 }
    return twice(other.short())
  }
}
