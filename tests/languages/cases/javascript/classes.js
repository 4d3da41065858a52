// == class with base
/** A cache of things. */
// <- doc
export class Cache extends lib.Store {
//           ^ def class vis=public sig="export class Cache extends lib.Store" doc="A cache of things." end=+21
//                             ^ ref inherit owner=Cache
  // == fields
  size = 0;
//^ def field scope=Cache vis=public sig="size = 0"
  static shared = new Cache();
//       ^ def field scope=Cache vis=public sig="static shared = new Cache()"
//                    ^ ref instance owner=shared
  // == private names
  #items = new Map();
//^ def field scope=Cache vis=private sig="#items = new Map()"
//             ^ ref instance owner="#items"
  static #count = 0;
//       ^ def field scope=Cache vis=private sig="static #count = 0"
  #evict(key) { this.#items.delete(key); }
//^ def method scope=Cache vis=private sig="#evict(key)"
//                          ^ ref call owner="#evict" recv="this.#items"
  // == constructor
  constructor(limit) {
//^ def method scope=Cache vis=public sig="constructor(limit)" end=+3
    super(limit);
    this.limit = limit;
//       ^ ref write owner=constructor recv="this"
  }
  // == getter and setter
  get length() { return this.#items.size; }
//    ^ def property scope=Cache vis=public sig="get length()"
  set length(value) { this.size = value; }
//    ^ def property scope=Cache vis=public sig="set length(value)"
//                         ^ ref write owner=length recv="this"
  // == static, async and generator methods
  static of(...items) { return new this(items); }
//       ^ def method scope=Cache vis=public sig="static of(...items)"
  async load(url) { await fetch(url); }
//      ^ def method scope=Cache vis=public sig="async load(url)"
//                        ^ ref call owner=load
  *[Symbol.iterator]() { yield* this.#items; }
// ^ def method scope=Cache vis=public sig="*[Symbol.iterator]()"
  // == arrow function as field
  onHit = async (event) => {
//^ def method scope=Cache vis=public sig="onHit = async (event)" end=+2
    event.stop();
//        ^ ref call owner=onHit recv="event"
  };
  // == quoted and computed members
  'odd-name'() {}
// ^ def method scope=Cache vis=public sig="'odd-name'()"
  ["made" + 1] = 3;
//^ def field scope=Cache vis=public sig="[\"made\" + 1] = 3"
  // == static block
  static { register(Cache); }
//         ^ ref call owner=Cache
}
// == class expressions
const Local = class Inner extends Cache { go() {} };
//    ^ def class vis=internal sig="const Local = class Inner extends Cache"
//                                ^ ref inherit owner=Local
//                                        ^ def method scope=Local vis=public sig="go()"
export default class extends Local {}
//     ^ def class vis=public sig="export default class extends Local"
//                           ^ ref inherit owner=default
// == nested class
function factory() {
//       ^ def fn vis=internal sig="function factory()" end=+3
  class Product { make() {} }
//      ^ def class scope=factory vis=private sig="class Product"
//                ^ def method scope=factory.Product vis=public sig="make()"
  return Product;
}
// == decorators
@sealed
 // <- ref decorator owner=Marked
@tag.name("x")
//   ^ ref decorator owner=Marked recv="tag"
class Marked {
//    ^ def class vis=internal sig="class Marked" end=+2
  @bound run() {}
// ^ ref decorator owner=run
//       ^ def method scope=Marked vis=public sig="run()"
}
// == object with methods
/** The api. */
// <- doc
export const api = {
//           ^ def const vis=public sig="export const api" doc="The api." end=+8
  /** Lists them. */
// <- doc
  list(page) { return get(page); },
//^ def method scope=api vis=public sig="list(page)" doc="Lists them."
//                    ^ ref call owner=list
  get first() { return 1; },
//    ^ def property scope=api vis=public sig="get first()"
  find: async (id) => get(id),
//^ def method scope=api vis=public sig="find: async (id)"
//                    ^ ref call owner=find
  'drop-all': function () {},
// ^ def method scope=api vis=public sig="'drop-all': function ()"
  nested: { deep() {} },
  get,
};
// == members of a prototype
function Shape(sides) { this.sides = sides; }
//       ^ def fn vis=internal sig="function Shape(sides)"
//                           ^ ref write owner=Shape recv="this"
Shape.prototype.area = function (scale) { return scale; };
//              ^ def method scope=Shape vis=public sig="Shape.prototype.area = function (scale)"
Shape.create = () => new Shape(3);
//    ^ def method scope=Shape vis=public sig="Shape.create = ()"
//                       ^ ref instance owner=create
Shape.prototype = { turn: function (by) {} };
//    ^ ref write owner="" recv="Shape"
//                  ^ def method scope=Shape vis=public sig="turn: function (by)"
// == throw and instanceof
function check(value) {
//       ^ def fn vis=internal sig="function check(value)" end=+3
  if (value instanceof Shape) throw new TypeError("no");
//                     ^ ref type owner=check
//                                      ^ ref throw owner=check
  throw new errors.Broken();
//                 ^ ref throw owner=check
}
// == writes
counter = 1;
// <- ref write owner=""
counter += 1;
// <- ref write owner=""
state.total++;
//    ^ ref write owner="" recv="state"
// == chains and templates
api.list(1)?.then(done).catch((error) => log(error));
//  ^ ref call owner="" recv="api"
//           ^ ref call owner="" recv="api.list()"
//                      ^ ref call owner="" recv="api.list().then()"
//                                       ^ ref call owner=""
sql`select ${counter}`;
// <- ref call owner=""
const color = Color.Red;
//    ^ def const vis=internal sig="const color = Color.Red"
// == unicode names
const größe = (länge) => länge;
//    ^ def fn vis=internal sig="const größe = (länge)"
class Ünïcode { naïve() { größe(1); } }
//    ^ def class vis=internal sig="class Ünïcode"
//                ^ def method scope=Ünïcode vis=public sig="naïve()"
//                           ^ ref call owner=naïve
