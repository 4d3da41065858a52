// == imports
import React, { type FC, useState as useLocal } from "react";
//     ^ ref import owner=""
//                   ^ ref import owner=""
//                       ^ ref import owner=""
// <- import module="react" name="default" alias="React"
// <- import module="react" name="FC"
// <- import module="react" name="useState" alias="useLocal"
import * as ui from "./ui";
// <- import module="./ui" name="*" alias="ui"
import type { Item } from "./model";
//            ^ ref import owner=""
// <- import module="./model" name="Item"
// == props interface
interface ListProps<T> extends Base {
//        ^ def interface vis=internal sig="interface ListProps<T> extends Base" end=+3
//                             ^ ref inherit owner=ListProps
  items: T[];
//^ def field scope=ListProps vis=public sig="items: T[]"
//       ^ ref type owner=items
  onPick?(item: T): void;
//^ def method scope=ListProps vis=public sig="onPick?(item: T): void"
//              ^ ref type owner=onPick
}
// == props as a type
export type RowProps = { item: Item; open: boolean } & Extra;
//          ^ def type vis=public sig="export type RowProps = { item: Item; open: boolean } & Extra"
//                             ^ ref type owner=RowProps
//                                                     ^ ref type owner=RowProps
type Plain = { id: string };
//   ^ def type vis=internal sig="type Plain"
//             ^ def field scope=Plain vis=public sig="id: string"
// == generic component
/** Shows a list. */
// <- doc
export function List<T extends Item>({ items, onPick }: ListProps<T>): JSX.Element {
//              ^ def fn vis=public sig="export function List<T extends Item>({ items, onPick }: ListProps<T>): JSX.Element" doc="Shows a list." end=+10
//                             ^ ref type owner=List
//                                                      ^ ref type owner=List
//                                                                ^ ref type owner=List
//                                                                         ^ ref type owner=List
  const [open, setOpen] = useLocal<boolean>(false);
//                        ^ ref call owner=List
  const toggle = () => setOpen(!open);
//                     ^ ref call owner=List
  return (
    <ui.Panel title="x" onClose={toggle}>
//      ^ ref call owner=List recv="ui"
      <ul className="list">
        {items.map((item) => <Row<Item> key={item.id} item={item} />)}
//             ^ ref call owner=List recv="items"
//                            ^ ref call owner=List
//                                ^ ref type owner=List
      </ul>
    </ui.Panel>
  );
}
// == arrow component
export const Row: FC<RowProps> = ({ item }) => <li><Label text={item.name} /></li>;
//           ^ def fn vis=public sig="export const Row: FC<RowProps> = ({ item })"
//                ^ ref type owner=Row
//                   ^ ref type owner=Row
//                                                  ^ ref call owner=Row
// == fragment
const Both = () => <><List items={[]} onPick={pick} /><hr /></>;
//    ^ def fn vis=internal sig="const Both = ()"
//                    ^ ref call owner=Both
// == wrapped component
export const Fast = React.memo(Row);
//           ^ def const vis=public sig="export const Fast = React.memo(Row)"
//                        ^ ref call owner=Fast recv="React"
// == class component
export class Board extends React.Component<ListProps<Item>, State> {
//           ^ def class vis=public sig="export class Board extends React.Component<ListProps<Item>, State>" end=+8
//                               ^ ref inherit owner=Board
//                                         ^ ref type owner=Board
//                                                   ^ ref type owner=Board
//                                                          ^ ref type owner=Board
  // == fields
  static defaultProps = { items: [] };
//       ^ def field scope=Board vis=public sig="static defaultProps = { items: [] }"
  private timer?: number;
//        ^ def field scope=Board vis=private sig="private timer?: number"
  state: State = { open: false };
//^ def field scope=Board vis=public sig="state: State = { open: false }"
//       ^ ref type owner=state
  // == constructor
  constructor(props: ListProps<Item>) { super(props); }
//^ def method scope=Board vis=public sig="constructor(props: ListProps<Item>)"
//                   ^ ref type owner=constructor
//                             ^ ref type owner=constructor
  // == getter
  get count(): number { return this.props.items.length; }
//    ^ def property scope=Board vis=public sig="get count(): number"
  // == handler as a field
  private handle = (event: React.MouseEvent): void => { this.setState({ open: true }); };
//        ^ def method scope=Board vis=private sig="private handle = (event: React.MouseEvent): void"
//                               ^ ref type owner=handle
//                                                           ^ ref call owner=handle recv="this"
  // == render method
  render() { return <List {...this.props} onPick={this.handle} />; }
//^ def method scope=Board vis=public sig="render()"
//                   ^ ref call owner=render
}
// == default exported component
export default function App(): JSX.Element { return <Board />; }
//                      ^ def fn vis=public sig="export default function App(): JSX.Element"
//                                 ^ ref type owner=App
//                                                   ^ ref call owner=App
// == hook
export function useThing(id: string): [Thing, (next: Thing) => void] {
//              ^ def fn vis=public sig="export function useThing(id: string): [Thing, (next: Thing) => void]" end=+3
//                                     ^ ref type owner=useThing
//                                                   ^ ref type owner=useThing
  const ref = React.useRef<Thing>(new Thing(id));
//                  ^ ref call owner=useThing recv="React"
//                         ^ ref type owner=useThing
//                                    ^ ref instance owner=useThing
  return [ref.current, save];
}
// == context and constants
const Theme = React.createContext<Mode>(Mode.Dark);
//    ^ def const vis=internal sig="const Theme = React.createContext<Mode>(Mode.Dark)"
//                  ^ ref call owner=Theme recv="React"
//                                ^ ref type owner=Theme
let shared: Item | null = null;
//  ^ def var vis=internal sig="let shared: Item | null = null"
//          ^ ref type owner=shared
// == enumeration
enum Mode { Dark, Light = "light" }
//   ^ def enum vis=internal sig="enum Mode"
//          ^ def field scope=Mode vis=public sig="Dark"
//                ^ def field scope=Mode vis=public sig="Light = \"light\""
// == higher order component
export const withTheme = <P extends object>(Inner: React.ComponentType<P>) => (props: P) =>
//           ^ def fn vis=public sig="export const withTheme = <P extends object>(Inner: React.ComponentType<P>)" end=+1
//                                                       ^ ref type owner=withTheme
//                                                                     ^ ref type owner=withTheme
//                                                                                    ^ ref type owner=withTheme
  <Theme.Provider value={shared}><Inner {...props} /></Theme.Provider>;
//       ^ ref call owner=withTheme recv="Theme"
//                                ^ ref call owner=withTheme
// == arrow generics
const identity = <T,>(value: T): T => value;
//    ^ def fn vis=internal sig="const identity = <T,>(value: T): T"
//                           ^ ref type owner=identity
//                               ^ ref type owner=identity
// == namespace
namespace Parts { export const Head = () => <head />; }
//        ^ def mod vis=internal sig="namespace Parts"
//                             ^ def fn scope=Parts vis=public sig="export const Head = ()"
// == re-exports
export { Button, Link as Anchor } from "./controls";
//       ^ def use vis=public sig="export { Button, Link as Anchor } from \"./controls\""
//               ^ ref import owner=Anchor
//                       ^ def use vis=public sig="export { Button, Link as Anchor } from \"./controls\""
// <- import module="./controls" name="Button"
// <- import module="./controls" name="Link" alias="Anchor"
// == lazy import
const Late = React.lazy(() => import("./late"));
//    ^ def const vis=internal sig="const Late = React.lazy(() => import(\"./late\"))"
//                 ^ ref call owner=Late recv="React"
// <- import module="./late"
// == overloads
function label(of: Item): string;
//       ^ def fn vis=internal sig="function label(of: Item): string"
//                 ^ ref type owner=label
function label(of: unknown): string { throw new Missing(of); }
//       ^ def fn vis=internal sig="function label(of: unknown): string"
//                                              ^ ref throw owner=label
// == object with components
export const parts = {
//           ^ def const vis=public sig="export const parts" end=+3
  header: () => <Row item={shared} />,
//^ def method scope=parts vis=public sig="header: ()"
//               ^ ref call owner=header
  footer(): JSX.Element { return <Both />; },
//^ def method scope=parts vis=public sig="footer(): JSX.Element"
//              ^ ref type owner=footer
//                                ^ ref call owner=footer
};
// == decorated class
@observer
 // <- ref decorator owner=Store
export class Store { @observable items: Item[] = []; @action add(item: Item) { this.items = [item]; } }
//           ^ def class vis=public sig="export class Store"
//                    ^ ref decorator owner=items
//                               ^ def field scope=Store vis=public sig="items: Item[] = []"
//                                      ^ ref type owner=items
//                                                    ^ ref decorator owner=Store
//                                                           ^ def method scope=Store vis=public sig="add(item: Item)"
//                                                                     ^ ref type owner=add
//                                                                                  ^ ref write owner=add recv="this"
// == unicode names
const Größe: FC = () => <Maß />;
//    ^ def fn vis=internal sig="const Größe: FC = ()"
//             ^ ref type owner=Größe
//                         ^ ref call owner=Größe
