// == definitions around broken syntax
export const Before = () => <Ok />;
//           ^ def fn vis=public sig="export const Before = ()"
//                           ^ ref call owner=Before

function Broken() { return <div>{ ; }</div>; }
//       ^ def fn vis=internal sig="function Broken()"
// == facts after the break
export function After(props: Props) { return <Fine on={props} />; }
//              ^ def fn vis=public sig="export function After(props: Props)"
//                           ^ ref type owner=After
//                                            ^ ref call owner=After
