// == component
import React, { useState } from "react";
//     ^ ref import owner=""
//              ^ ref import owner=""
// <- import module="react" name="default" alias="React"
// <- import module="react" name="useState"
/** Shows a list. */
// <- doc
export function List({ items, onPick }) {
//              ^ def fn vis=public sig="export function List({ items, onPick })" doc="Shows a list." end=+9
  const [open, setOpen] = useState(false);
//                        ^ ref call owner=List
  return (
    <Panel.Header title={open}>
//         ^ ref call owner=List recv="Panel"
      <ul onClick={onPick}>
        {items.map((item) => <Row key={item.id} {...item} />)}
//             ^ ref call owner=List recv="items"
//                            ^ ref call owner=List
      </ul>
    </Panel.Header>
  );
}
// == arrow component and fragment
export const Empty = () => <><Icon name="none" /></>;
//           ^ def fn vis=public sig="export const Empty = ()"
//                            ^ ref call owner=Empty
// == wrapped component
const Fast = React.memo(function Slow(props) {
//    ^ def const vis=internal sig="const Fast = React.memo(function Slow(props) { const local = props; return <List items={local} />; })" end=+3
//                 ^ ref call owner=Fast recv="React"
  const local = props;
  return <List items={local} />;
//        ^ ref call owner=Fast
});
