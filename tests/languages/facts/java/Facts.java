package app;

import app.net.Client;
import java.util.*;

@Entity
public abstract class Store<T> extends Base<T> implements Closeable, api.Sized {
//                    ^ bases: Base, Closeable, api.Sized
//                    ^ decorators: @Entity
//                    ^ marks: abstract
//                    ^ visibility: public
  private static final int LIMIT = 10, OTHER = 5;
//                         ^ types: LIMIT: int annotation
//                         ^ marks: final, static
//                         ^ visibility: private

  /** Loads one page. */
  @Override
  @Get("/x")
  protected synchronized Map<String, Page> load(final String url, int[] tries, Page... rest) throws GoneException {
//                                         ^ params: url: String | tries: int[] | rest: Page
//                                         ^ returns: Map<String, Page>
//                                         ^ marks: synchronized
//                                         ^ decorators: @Override, @Get("/x")
//                                         ^ visibility: protected
//                                         ^ doc: Loads one page.
//                                         ^ throws: GoneException, IllegalStateException
//                                         ^ calls: ArrayList, Client, client.get, list.stream, list.stream().map, this.cache.put
//                                         ^ imports: app.net
//                                         ^ reads: at, client, failed, list, other, page, parts, rest, this.cache, total, tries, url, x
//                                         ^ writes: at, body, client, made, other, page, parts, run, total
//                                         ^ mutations: page.seen, parts[], this.last
//                                         ^ aliases: body=client, other=client, this.last=url
//                                         ^ types: url: String annotation, tries: int[] annotation, rest: Page annotation, client: Client annotation, total: int annotation, unset: int annotation, parts: String[] annotation, at: int annotation, page: Page annotation, run: Runnable annotation, body: Client annotation, made: ArrayList<Page> constructor, page.seen: boolean literal
//                                         ^ branches: 5
//                                         ^ loops: 4
//                                         ^ breaks: 2
//                                         ^ continues: 1
//                                         ^ returned: 1
//                                         ^ has names: Client, GoneException, Page, client, get, url
    Client client = new Client(url);
    var other = client;
    var made = new ArrayList<Page>();
    int total = 0, unset;
    String[] parts = {"a"};
    this.cache.put(url, other);
    this.last = url;
    parts[0] = "b";
    total += 1;
    for (int at = 0; at < tries; at++) {
      if (total > 2) break;
      else continue;
    }
    for (Page page : rest) page.seen = true;
    while (total < 1) total++;
    do {
    } while (total < 1);
    switch (total) {
      case 1:
        break;
      default:
    }
    try {
      client.get();
    } catch (OSError | IOError failed) {
      throw new IllegalStateException(failed);
    }
    Runnable run = () -> { return; };
    list.stream().map(x -> x == 1 ? 2 : 3);
    Client body = client;
    return switch (total) { case 1 -> parts; default -> null; };
  }
}
