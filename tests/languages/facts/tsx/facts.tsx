import { Client, type Page } from "./net";
import axios from "axios";

@Injectable()
export abstract class Store<T> extends Base<T> implements Closeable, api.Sized {
//                    ^ bases: Base, Closeable, api.Sized
//                    ^ decorators: @Injectable()
//                    ^ marks: abstract
  private readonly limit: number = 10;
//                 ^ types: limit: number annotation
//                 ^ visibility: private
//                 ^ marks: readonly
  protected static made = new Store();
//                 ^ marks: static
//                 ^ types: made: Store constructor

  /** Loads one page. */
  @Get("/x")
  public async load(url: string, tries = 3, fresh?: boolean, ...rest: Page[]): Promise<Page> {
//             ^ params: url: string | tries = 3 | fresh: boolean | rest: Page[]
//             ^ returns: Promise<Page>
//             ^ marks: async
//             ^ decorators: @Get("/x")
//             ^ visibility: public
//             ^ doc: Loads one page.
//             ^ throws: RangeError
//             ^ awaits: axios.get
//             ^ calls: Client, axios.get
//             ^ imports: ./net, axios
//             ^ reads: axios, body, client, fresh, key, other, rest, this.cache, tries, url
//             ^ writes: body, client, key, other, total
//             ^ mutations: this.cache, this.cache[]
//             ^ aliases: other=client
//             ^ types: url: string annotation, tries: number literal, fresh: boolean annotation, rest: Page[] annotation, client: Client constructor, total: number annotation
//             ^ branches: 4
//             ^ loops: 2
//             ^ breaks: 1
//             ^ continues: 1
//             ^ returned: 1
//             ^ has names: Client, Page, RangeError, body, url
    const client = new Client(url);
    const other = client;
    let total: number = 0;
    do {
      if (fresh) continue;
      if (tries) break;
      total++;
    } while (fresh);
    const body = await axios.get<Page>(url);
    for (const key in rest) this.cache[key] = other;
    try {
      this.cache = body ? rest : [];
    } catch (failed) {
      throw new RangeError(url);
    }
    return body;
  }

  abstract size(): number;
//         ^ returns: number
//         ^ marks: abstract

  override toString(): string {
//         ^ marks: override
//         ^ returns: string
    return "";
  }
}

export const pick = <T,>(from: T[], by: (one: T) => boolean = Boolean): T | undefined => from.find(by);
//           ^ params: from: T[] | by: (one: T) => boolean = Boolean
//           ^ returns: T | undefined
//           ^ returned: 1
//           ^ calls: from.find

export function isPage(value: unknown): value is Page {
//              ^ returns: value is Page
//              ^ params: value: unknown
  return value instanceof Page;
}

export function* ids({ a, b: c }: Pair): Generator<number> {
//               ^ marks: generator
//               ^ params: a: Pair | c: Pair
//               ^ returns: Generator<number>
  yield a;
}
