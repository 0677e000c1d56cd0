import { createContext, useContext } from "react";

/** Whether this tab's key may change something; it may until the server says otherwise, because the server decides anyway. */
export const MayChange = createContext(true);

export const useMayChange = () => useContext(MayChange);

/** Why there are no buttons for changes; nothing if there are. */
export function ReadOnlyNote() {
  return useMayChange() ? null : (
    <p className="soft small read-only-note">
      This tab’s key may only read. To change something, open the dashboard with the value of <code>--api-key</code>.
    </p>
  );
}
