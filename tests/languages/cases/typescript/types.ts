// == interface
/** What can be drawn. */
// <- doc
export interface Drawable<T extends Base = Base> extends Shape, geo.Sized<T> {
//               ^ def interface vis=public sig="export interface Drawable<T extends Base = Base> extends Shape, geo.Sized<T>" doc="What can be drawn." end=+7
//                                  ^ ref type owner=Drawable
//                                         ^ ref type owner=Drawable
//                                                       ^ ref inherit owner=Drawable
//                                                                  ^ ref inherit owner=Drawable
//                                                                        ^ ref type owner=Drawable
  readonly name: string;
//         ^ def field scope=Drawable vis=public sig="readonly name: string"
  color?: Color;
//^ def field scope=Drawable vis=public sig="color?: Color"
//        ^ ref type owner=color
  draw(on: Canvas, at?: Point): Promise<void>;
//^ def method scope=Drawable vis=public sig="draw(on: Canvas, at?: Point): Promise<void>"
//         ^ ref type owner=draw
//                      ^ ref type owner=draw
//                              ^ ref type owner=draw
  get area(): number;
//    ^ def property scope=Drawable vis=public sig="get area(): number"
  new (x: number): Drawable;
//                 ^ ref type owner=Drawable
  [key: string]: unknown;
}
// == enumeration
export enum Color {
//          ^ def enum vis=public sig="export enum Color" end=+5
  Red,
//^ def field scope=Color vis=public sig="Red"
  /** Grass. */
// <- doc
  Green = "green",
//^ def field scope=Color vis=public sig="Green = \"green\"" doc="Grass."
  'odd-one' = 3,
// ^ def field scope=Color vis=public sig="'odd-one' = 3"
}
const enum Level { Low = 1 }
//         ^ def enum vis=internal sig="const enum Level"
//                 ^ def field scope=Level vis=public sig="Low = 1"
declare enum Remote { On }
//           ^ def enum vis=internal sig="declare enum Remote"
//                    ^ def field scope=Remote vis=public sig="On"
// == type aliases
export type Pair<A, B = A> = [A, B];
//          ^ def type vis=public sig="export type Pair<A, B = A> = [A, B]"
//                      ^ ref type owner=Pair
//                            ^ ref type owner=Pair
//                               ^ ref type owner=Pair
type Options = {
//   ^ def type vis=internal sig="type Options" end=+3
  depth: number;
//^ def field scope=Options vis=public sig="depth: number"
  visit(node: Node): void;
//^ def method scope=Options vis=public sig="visit(node: Node): void"
//            ^ ref type owner=visit
};
type Key = keyof typeof defaults | Options["depth"];
//   ^ def type vis=internal sig="type Key = keyof typeof defaults | Options[\"depth\"]"
//                      ^ ref read owner=Key
//                                 ^ ref type owner=Key
// == namespace
export namespace tools {
//               ^ def mod vis=public sig="export namespace tools" end=+5
  export const version = 1;
//             ^ def const scope=tools vis=public sig="export const version = 1"
  const secret = 2;
//      ^ def const scope=tools vis=internal sig="const secret = 2"
  export function open(): void {}
//                ^ def fn scope=tools vis=public sig="export function open(): void"
  let handler = (event: Event) => event;
//    ^ def fn scope=tools vis=internal sig="let handler = (event: Event)"
//                      ^ ref type owner=handler
}
namespace a.b {}
//        ^ def mod vis=internal sig="namespace a.b"
// == ambient declarations
declare function fetchAll(url: string): Promise<Response>;
//               ^ def fn vis=internal sig="declare function fetchAll(url: string): Promise<Response>"
//                                      ^ ref type owner=fetchAll
//                                              ^ ref type owner=fetchAll
declare const BUILD: string;
//            ^ def const vis=internal sig="declare const BUILD: string"
declare let mode: Mode;
//          ^ def var vis=internal sig="declare let mode: Mode"
//                ^ ref type owner=mode
declare class Native { call(): void }
//            ^ def class vis=internal sig="declare class Native"
//                     ^ def method scope=Native vis=public sig="call(): void"
declare module "plain" {
//              ^ def mod vis=internal sig="declare module \"plain\"" end=+3
  export function run(): void;
//                ^ def fn scope=plain vis=public sig="export function run(): void"
  const inner: number;
//      ^ def const scope=plain vis=internal sig="const inner: number"
}
declare global {
  interface Window { app: App }
//          ^ def interface vis=internal sig="interface Window"
//                   ^ def field scope=Window vis=public sig="app: App"
//                        ^ ref type owner=app
  var legacy: string;
//    ^ def var vis=internal sig="var legacy: string"
}
// == overloads
export function pick(at: number): string;
//              ^ def fn vis=public sig="export function pick(at: number): string"
export function pick(at: string): string;
//              ^ def fn vis=public sig="export function pick(at: string): string"
export function pick(at: unknown): string { return String(at); }
//              ^ def fn vis=public sig="export function pick(at: unknown): string"
//                                                 ^ ref call owner=pick
// == multi-line generic signature
export async function convert<
//                    ^ def fn vis=public sig="export async function convert< In extends Source, Out = Result<In>, >( input: In, { deep, limit = 3 }: Options = {}, ...rest: readonly string[] ): Promise<Map<string, Out>>" end=+9
  In extends Source, // what comes
//           ^ ref type owner=convert
// <- comment
  Out = Result<In>,
//      ^ ref type owner=convert
//             ^ ref type owner=convert
>(
  input: In,
//       ^ ref type owner=convert
  { deep, limit = 3 }: Options = {},
//                     ^ ref type owner=convert
  ...rest: readonly string[]
): Promise<Map<string, Out>> {
// ^ ref type owner=convert
//         ^ ref type owner=convert
//                     ^ ref type owner=convert
  return make<Out>(input);
//       ^ ref call owner=convert
//            ^ ref type owner=convert
}
// == arrow functions with types
export const same = <T,>(value: T): value is Known => check(value);
//           ^ def fn vis=public sig="export const same = <T,>(value: T): value is Known"
//                              ^ ref type owner=same
//                                           ^ ref type owner=same
//                                                    ^ ref call owner=same
const later: Handler<Event> = async (event) => {};
//    ^ def fn vis=internal sig="const later: Handler<Event> = async (event)"
//           ^ ref type owner=later
//                   ^ ref type owner=later
// == type guard and assertion
function must(value: unknown): asserts value is Item {
//       ^ def fn vis=internal sig="function must(value: unknown): asserts value is Item" end=+3
//                                              ^ ref type owner=must
  const it = value as Item;
//                    ^ ref type owner=must
  return it satisfies Other;
//                    ^ ref type owner=must
}
// == imports
import type { Kind } from "./kinds";
//            ^ ref import owner=""
// <- import module="./kinds" name="Kind"
import main, { type Shape, sized as s } from "../shapes.js";
//     ^ ref import owner=""
//                  ^ ref import owner=""
//                         ^ ref import owner=""
// <- import module="../shapes.js" name="default" alias="main"
// <- import module="../shapes.js" name="Shape"
// <- import module="../shapes.js" name="sized" alias="s"
import * as geo from "geo";
// <- import module="geo" name="*" alias="geo"
import fs = require("fs");
// <- import module="fs" alias="fs"
import Short = geo.inner.Long;
//     ^ def use vis=internal sig="import Short = geo.inner.Long"
import "reflect-metadata";
// <- import module="reflect-metadata"
// == re-exports
export type { Node } from "./node";
//            ^ def use vis=public sig="export type { Node } from \"./node\""
// <- import module="./node" name="Node"
export { a, b as c } from "./ab";
//       ^ def use vis=public sig="export { a, b as c } from \"./ab\""
//          ^ ref import owner=c
//               ^ def use vis=public sig="export { a, b as c } from \"./ab\""
// <- import module="./ab" name="a"
// <- import module="./ab" name="b" alias="c"
export * from "./rest";
// <- import module="./rest" name="*"
export * as all from "./all";
//          ^ def use vis=public sig="export * as all from \"./all\""
// <- import module="./all" name="*" alias="all"
// == constants with types
export const table: Record<string, Kind> = { one: 1 };
//           ^ def const vis=public sig="export const table: Record<string, Kind>"
//                  ^ ref type owner=table
//                                 ^ ref type owner=table
let current: Kind | undefined;
//  ^ def var vis=internal sig="let current: Kind | undefined"
//           ^ ref type owner=current
const frozen = Object.freeze({ run() {} });
//    ^ def const vis=internal sig="const frozen = Object.freeze({ run() {} })"
//                    ^ ref call owner=frozen recv="Object"
// == export assignment
function entry() {}
//       ^ def fn vis=public sig="function entry()"
export = entry;
//       ^ ref read owner=""
// == unicode names
interface Größe { länge: Maß }
//        ^ def interface vis=internal sig="interface Größe"
//                  ^ def field scope=Größe vis=public sig="länge: Maß"
//                          ^ ref type owner=länge
