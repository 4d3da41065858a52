/** What a module brings in and gives out. */
// <- doc
// == default, named and namespace imports
import def from "./def.js";
//     ^ ref import owner=""
// <- import module="./def.js" name="default" alias="def"
import { alpha, beta as b } from "pkg";
//       ^ ref import owner=""
//              ^ ref import owner=""
// <- import module="pkg" name="alpha"
// <- import module="pkg" name="beta" alias="b"
import both, * as all from 'both';
//     ^ ref import owner=""
// <- import module="both" name="default" alias="both"
// <- import module="both" name="*" alias="all"
import {
// <- import module="./wide.mjs" name="gamma"
// <- import module="./wide.mjs" name="default" alias="delta"
  gamma,
//^ ref import owner=""
  default as delta,
} from "./wide.mjs";
// == side effect import
import "./polyfill.js";
// <- import module="./polyfill.js"
// == require
const fs = require("fs");
//         ^ ref call owner=""
// <- import module="fs" alias="fs"
const { join, sep: separator } = require("node:path");
//                               ^ ref call owner=""
// <- import module="node:path" name="join"
// <- import module="node:path" name="sep" alias="separator"
const parse = require("./codec").parse;
//            ^ ref call owner=""
// <- import module="./codec" name="parse" alias="parse"
require("./register");
// <- ref call owner=""
// <- import module="./register"
// == dynamic import
const lazy = () => import("./page.js");
//    ^ def fn vis=internal sig="const lazy = ()"
// <- import module="./page.js"
// == re-exports
export { one, two as deux } from "./numbers.js";
//       ^ def use vis=public sig="export { one, two as deux } from \"./numbers.js\""
//            ^ ref import owner=deux
//                   ^ def use vis=public sig="export { one, two as deux } from \"./numbers.js\""
// <- import module="./numbers.js" name="one"
// <- import module="./numbers.js" name="two" alias="deux"
export { default } from "./main.js";
//       ^ def use vis=public sig="export { default } from \"./main.js\""
// <- import module="./main.js" name="default"
export * from "./everything.js";
// <- import module="./everything.js" name="*"
export * as tools from "./tools.js";
//          ^ def use vis=public sig="export * as tools from \"./tools.js\""
// <- import module="./tools.js" name="*" alias="tools"
// == export list
function shown() {}
//       ^ def fn vis=public sig="function shown()"
function hidden() {}
//       ^ def fn vis=internal sig="function hidden()"
const kept = 1;
//    ^ def const vis=public sig="const kept = 1"
export { shown, kept as held };
//       ^ ref read owner=held
//              ^ ref read owner=held
//                      ^ def use vis=public sig="export { shown, kept as held }"
// == exported declarations
export const LIMIT = 10, step = 2;
//           ^ def const vis=public sig="export const LIMIT = 10, step = 2"
//                       ^ def const vis=public sig="export const LIMIT = 10, step = 2"
export let current;
//         ^ def var vis=public sig="export let current"
export var legacy = "old";
//         ^ def var vis=public sig="export var legacy = \"old\""
export function build(a, { b, c } = {}, ...rest) {
//              ^ def fn vis=public sig="export function build(a, { b, c } = {}, ...rest)" end=+2
  return new Builder(a, rest);
//           ^ ref instance owner=build
}
// == variables of the module
let counter = 0;
//  ^ def var vis=internal sig="let counter = 0"
var old;
//  ^ def var vis=internal sig="var old"
const { width, deep: { height }, size: area = 1, ...others } = measure();
//      ^ def const vis=internal sig="const { width, deep: { height }, size: area = 1, ...others } = measure()"
//                                     ^ def const vis=internal sig="const { width, deep: { height }, size: area = 1, ...others } = measure()"
//                                                  ^ def const vis=internal sig="const { width, deep: { height }, size: area = 1, ...others } = measure()"
//                                                             ^ ref call owner=others
const [head, , tail = 2] = list;
//     ^ def const vis=internal sig="const [head, , tail = 2] = list"
//             ^ def const vis=internal sig="const [head, , tail = 2] = list"
// == arrow functions and function expressions
const add = (a, b) => a + b;
//    ^ def fn vis=internal sig="const add = (a, b)"
const once = async function named(task) {
//    ^ def fn vis=internal sig="const once = async function named(task)" end=+2
  return task();
//       ^ ref call owner=once
};
export const ids = function* (from) { yield from; };
//           ^ def fn vis=public sig="export const ids = function* (from)"
// == multi-line signature
export async function gather(
//                    ^ def fn vis=public sig="export async function gather( first, second = { a: 1 }, )" end=+5
  first, // how many
// <- comment
  second = { a: 1 },
) {
  await first(second);
//      ^ ref call owner=gather
}
// == generators
function* walk(tree) { yield* tree; }
//        ^ def fn vis=internal sig="function* walk(tree)"
export async function* stream() {}
//                     ^ def fn vis=public sig="export async function* stream()"
// == default export of an object
export default {
//     ^ def const vis=public sig="export default" end=+4
  name: "widget",
  mounted() { start(LIMIT); },
//^ def method scope=default vis=public sig="mounted()"
//            ^ ref call owner=mounted
  render: (h) => h(both),
//^ def method scope=default vis=public sig="render: (h)"
//               ^ ref call owner=render
};
// == bare block
{
  const boxed = { open() {} };
//      ^ def const vis=internal sig="const boxed"
//                ^ def method scope=boxed vis=public sig="open()"
  function inBlock() {}
//         ^ def fn vis=internal sig="function inBlock()"
}
// == locals are no definitions
function work(items) {
//       ^ def fn vis=internal sig="function work(items)" end=+6
  const local = items;
  const helper = () => local;
  for (const item of items) { let copy = item; }
  function inner() {}
//         ^ def fn scope=work vis=private sig="function inner()"
  return { helper, run() { return helper(); } };
//                                ^ ref call owner=work
}
it("works", () => {
// <- ref call owner=""
  const ignored = 1;
  function shared() {}
//         ^ def fn vis=internal sig="function shared()"
});
