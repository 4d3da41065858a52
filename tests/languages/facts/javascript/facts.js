import fs, { readFile as read } from "node:fs";
import * as path from "path";
const { parse } = require("acorn");

export class Store extends mixins.Base {
//           ^ bases: mixins.Base
  limit = 10;
//^ types: limit: number literal

  static made = new Store();
//       ^ marks: static
//       ^ types: made: Store constructor

  /** Loads one page. */
  @logged
  async load(url, tries = 3, { fresh, deep: far } = {}, ...rest) {
//      ^ params: url | tries = 3 | fresh = {} | far = {} | rest
//      ^ marks: async
//      ^ decorators: @logged
//      ^ visibility: public
//      ^ doc: Loads one page.
//      ^ throws: RangeError
//      ^ awaits: read, this.pause
//      ^ calls: Client, fs.existsSync, path.join, read, rest.map, this.pause
//      ^ imports: node:fs, path
//      ^ reads: at, body, client, far, fresh, fs, line, one, other, path, rest, this.cache, this.root, tries, url
//      ^ writes: at, body, client, left, line, other, right, total
//      ^ mutations: this.cache, this.cache[], this.hits, this.last
//      ^ aliases: other=client, this.last=url
//      ^ types: tries: number literal, client: Client constructor, total: number literal, at: number literal
//      ^ branches: 5
//      ^ loops: 3
//      ^ breaks: 2
//      ^ continues: 1
//      ^ returned: 1
//      ^ has names: Client, RangeError, body, client, existsSync, url
    const client = new Client(path.join(this.root, url));
    const other = client;
    let total = 0;
    for (let at = 0; at < tries; at++) {
      if (fresh) continue;
      else if (far) break;
    }
    for (const line of rest.map((one) => { return one + 1; })) total += line;
    let body, [left, right] = other;
    try {
      body = await read(url);
    } catch {
      throw new RangeError(body);
    }
    while (!body) await this.pause();
    switch (fs.existsSync(url) ? 1 : 2) {
      case 1:
        this.cache[url] = body;
        break;
      default:
        delete this.cache;
    }
    this.hits++;
    this.last = url;
    return body;
  }

  *pages() {
// ^ marks: generator
// ^ returned: 0
    yield 1;
  }

  #hidden() {
//^ visibility: private
    return;
  }
}

const twice = async (x) => x * 2;
//    ^ marks: async
//    ^ params: x
//    ^ returned: 1
//    ^ visibility: internal

export function outer(list) {
//              ^ marks:
//              ^ params: list
//              ^ returned: 1
//              ^ awaits: go
  list.forEach(async (item) => {
    await go(item);
    return item;
  });
  return list;
}

function* numbers() {
//        ^ marks: generator
  yield* [1, 2];
}

export const handler = function (request) {
//           ^ params: request
//           ^ types: name: string literal, flag: boolean literal, none: null literal, list: array literal, map: object literal, match: RegExp literal
//           ^ returned: 1
  const name = `x`, flag = true, none = null, list = [], map = {}, match = /a/;
  return request.body;
};
