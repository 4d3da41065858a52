// == decorated class
import { Injectable, Get } from "frame";
//       ^ ref import owner=""
//                   ^ ref import owner=""
// <- import module="frame" name="Injectable"
// <- import module="frame" name="Get"
/** Serves cats. */
// <- doc
@Injectable({ scope: Scope.Default })
 // <- ref decorator owner=CatService
export class CatService extends Base<Cat> implements Service, life.OnInit<Cat> {
//           ^ def class vis=public sig="export class CatService extends Base<Cat> implements Service, life.OnInit<Cat>" doc="Serves cats." end=+34
//                              ^ ref inherit owner=CatService
//                                   ^ ref type owner=CatService
//                                                   ^ ref inherit owner=CatService
//                                                                 ^ ref inherit owner=CatService
//                                                                        ^ ref type owner=CatService
  // == fields with modifiers
  private readonly cats: Cat[] = [];
//                 ^ def field scope=CatService vis=private sig="private readonly cats: Cat[] = []"
//                       ^ ref type owner=cats
  protected static total = 0;
//                 ^ def field scope=CatService vis=protected sig="protected static total = 0"
  public name?: string;
//       ^ def field scope=CatService vis=public sig="public name?: string"
  declare kind: Kind;
//        ^ def field scope=CatService vis=public sig="declare kind: Kind"
//              ^ ref type owner=kind
  #secret: number;
//^ def field scope=CatService vis=private sig="#secret: number"
  plain!: Map<string, Cat>;
//^ def field scope=CatService vis=public sig="plain!: Map<string, Cat>"
//        ^ ref type owner=plain
//                    ^ ref type owner=plain
  // == parameter properties
  constructor(
//^ def method scope=CatService vis=public sig="constructor( private readonly store: Store<Cat>, public log?: Logger, readonly clock: Clock = new Clock(), plain: string, @Inject(TOKEN) protected token: Token, )" end=+9
    private readonly store: Store<Cat>,
//                   ^ def field scope=CatService vis=private sig="private readonly store: Store<Cat>"
//                          ^ ref type owner=store
//                                ^ ref type owner=store
    public log?: Logger,
//         ^ def field scope=CatService vis=public sig="public log?: Logger"
//               ^ ref type owner=log
    readonly clock: Clock = new Clock(),
//           ^ def field scope=CatService vis=public sig="readonly clock: Clock = new Clock()"
//                  ^ ref type owner=clock
//                              ^ ref instance owner=clock
    plain: string,
    @Inject(TOKEN) protected token: Token,
//   ^ ref decorator owner=token
//                           ^ def field scope=CatService vis=protected sig="protected token: Token"
//                                  ^ ref type owner=token
  ) {
    super(store);
    this.plain = prepare(plain);
//       ^ ref write owner=constructor recv="this"
//               ^ ref call owner=constructor
  }
  // == decorated method
  /** All of them. */
// <- doc
  @Get(":id")
// ^ ref decorator owner=CatService
  @guard.use(Auth)
//       ^ ref decorator owner=CatService recv="guard"
  async findAll(@Param("id") id: string, limit = 10): Promise<Cat[]> {
//      ^ def method scope=CatService vis=public sig="async findAll(@Param(\"id\") id: string, limit = 10): Promise<Cat[]>" doc="All of them." end=+2
//               ^ ref decorator owner=findAll
//                                                    ^ ref type owner=findAll
//                                                            ^ ref type owner=findAll
    return this.store.find(id);
//                    ^ ref call owner=findAll recv="this.store"
  }
  // == accessors
  get size(): number { return this.cats.length; }
//    ^ def property scope=CatService vis=public sig="get size(): number"
  private set size(value: number) { this.total = value; }
//            ^ def property scope=CatService vis=private sig="private set size(value: number)"
//                                       ^ ref write owner=size recv="this"
  // == overloaded method
  pick(at: number): Cat;
//^ def method scope=CatService vis=public sig="pick(at: number): Cat"
//                  ^ ref type owner=pick
  pick(at: string): Cat;
//^ def method scope=CatService vis=public sig="pick(at: string): Cat"
//                  ^ ref type owner=pick
  pick(at: unknown): Cat { throw new NotFound(at); }
//^ def method scope=CatService vis=public sig="pick(at: unknown): Cat"
//                   ^ ref type owner=pick
//                                   ^ ref throw owner=pick
  // == modifiers of methods
  protected static async *each<T>(items: T[]): AsyncGenerator<T> {}
//                        ^ def method scope=CatService vis=protected sig="protected static async *each<T>(items: T[]): AsyncGenerator<T>"
//                                       ^ ref type owner=each
//                                             ^ ref type owner=each
//                                                            ^ ref type owner=each
  private hidden(): void {}
//        ^ def method scope=CatService vis=private sig="private hidden(): void"
  override toString() { return `${this.name}`; }
//         ^ def method scope=CatService vis=public sig="override toString()"
  // == arrow function as field
  private onEvent = (event: Event): void => { this.hidden(); };
//        ^ def method scope=CatService vis=private sig="private onEvent = (event: Event): void"
//                          ^ ref type owner=onEvent
//                                                 ^ ref call owner=onEvent recv="this"
  // == index signature and static block
  [key: string]: unknown;
  static { CatService.setup(); }
//                    ^ ref call owner=CatService recv="CatService"
}
// == abstract class
export abstract class Animal {
//                    ^ def class vis=public sig="export abstract class Animal" end=+5
  protected abstract sound: string;
//                   ^ def field scope=Animal vis=protected sig="protected abstract sound: string"
  abstract speak(volume: number): void;
//         ^ def method scope=Animal vis=public sig="abstract speak(volume: number): void"
  protected abstract get legs(): number;
//                       ^ def property scope=Animal vis=protected sig="protected abstract get legs(): number"
  move(): void {}
//^ def method scope=Animal vis=public sig="move(): void"
}
// == default exported class
export default class Zoo {}
//                   ^ def class vis=public sig="export default class Zoo"
// == class expression
const Local = class<T> extends Animal { speak() {} };
//    ^ def class vis=internal sig="const Local = class<T> extends Animal"
//                             ^ ref inherit owner=Local
//                                      ^ def method scope=Local vis=public sig="speak()"
// == class inside a function
function mixin<T extends Ctor>(base: T) {
//       ^ def fn vis=internal sig="function mixin<T extends Ctor>(base: T)" end=+3
//                       ^ ref type owner=mixin
//                                   ^ ref type owner=mixin
  class Mixed extends base { extra = 1; }
//      ^ def class scope=mixin vis=private sig="class Mixed extends base"
//                    ^ ref inherit owner=Mixed
//                           ^ def field scope=mixin.Mixed vis=public sig="extra = 1"
  return Mixed;
}
// == object with methods
export const routes = {
//           ^ def const vis=public sig="export const routes" end=+3
  list(): Route[] { return all(); },
//^ def method scope=routes vis=public sig="list(): Route[]"
//        ^ ref type owner=list
//                         ^ ref call owner=list
  find: async (id: string): Promise<Route> => load(id),
//^ def method scope=routes vis=public sig="find: async (id: string): Promise<Route>"
//                          ^ ref type owner=find
//                                  ^ ref type owner=find
//                                            ^ ref call owner=find
};
// == generic calls and instances
const cache = new Map<string, CatService>();
//    ^ def const vis=internal sig="const cache = new Map<string, CatService>()"
//                ^ ref instance owner=cache
//                            ^ ref type owner=cache
cache.get("x")!.findAll<Cat>("y");
//    ^ ref call owner="" recv="cache"
//              ^ ref call owner="" recv="cache.get()"
//                      ^ ref type owner=""
const zoo = <Zoo>new parks.Zoo();
//    ^ def const vis=internal sig="const zoo = <Zoo>new parks.Zoo()"
//           ^ ref type owner=zoo
//                         ^ ref instance owner=zoo recv="parks"
if (zoo instanceof Zoo) zoo.count += 1;
//                 ^ ref type owner=""
//                          ^ ref write owner="" recv="zoo"
// == members by type
const state = Status.Ready;
//    ^ def const vis=internal sig="const state = Status.Ready"
const loaded = await import("./late");
// <- import module="./late" alias="loaded"
