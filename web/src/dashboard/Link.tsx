import { type AnchorHTMLAttributes, useContext } from "react";
import { addressOf, GoContext, type Place } from "./address";

/** A link to a place of this page: a click stays on the page, and a click for a new tab opens one. */
export function Link({ to, ...more }: { to: Place } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, "href" | "onClick">) {
  const go = useContext(GoContext);
  return (
    <a
      {...more}
      href={addressOf(to)}
      onClick={(event) => {
        if (!event.metaKey && !event.ctrlKey && !event.shiftKey) {
          event.preventDefault();
          go(to);
        }
      }}
    />
  );
}
