import { useState } from "react";

/** Shows one page. */
export function Page({ title, body }: PageProps, ref?: Ref<HTMLElement>): JSX.Element {
//              ^ params: title: PageProps | body: PageProps | ref: Ref<HTMLElement>
//              ^ returns: JSX.Element
//              ^ doc: Shows one page.
//              ^ calls: setOpen, useState
//              ^ imports: react
//              ^ writes: open, setOpen
//              ^ branches: 1
//              ^ returned: 1
  const [open, setOpen] = useState(false);
  return <section onClick={() => { return setOpen(!open); }}>{open ? body : title}</section>;
}

export const Lazy = async (props: Props) => <Page {...props} />;
//           ^ marks: async
//           ^ params: props: Props
//           ^ returned: 1
