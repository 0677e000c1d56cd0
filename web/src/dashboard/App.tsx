import { useEffect, useMemo, useState } from "react";
import { Api, type Failure } from "./api";
import { Dashboard } from "./Dashboard";
import { forgetKey, storeKey, storedKey } from "./apiKey";
import { KeyForm } from "./KeyForm";
import { CardPage } from "./CardPage";

/** Whether the server gives access: unknown yet (asking), yes (open), only with a key, or refused for another reason. */
type Access =
  | { readonly state: "asking" | "open" }
  | { readonly state: "key"; readonly wrong: boolean }
  | { readonly state: "refused"; readonly reason: string };

/** Shows the dashboard if the server gives access; otherwise asks for the key or shows why not. */
export function App() {
  const [key, setKey] = useState(storedKey);
  const [access, setAccess] = useState<Access>({ state: "asking" });

  const api = useMemo(() => {
    const refused = (why: Failure) => {
      setAccess(why.status === 401 ? { state: "key", wrong: key !== null } : { state: "refused", reason: why.message });
      if (why.status === 401) {
        forgetKey();
        setKey(null);
      }
    };
    return new Api(key, refused);
  }, [key]);

  useEffect(() => {
    if (access.state === "asking") {
      const end = new AbortController();
      const open = () => !end.signal.aborted && setAccess((now) => (now.state === "asking" ? { state: "open" } : now));
      // If the server or its Redis is unreachable, the dashboard shows that and keeps polling.
      api.stats(end.signal).then(open, open);
      return () => end.abort();
    }
    return undefined;
  }, [access.state, api]);

  const enter = (given: string) => {
    storeKey(given);
    setKey(given);
    setAccess({ state: "open" });
  };
  const forget = () => {
    forgetKey();
    setKey(null);
    setAccess({ state: "asking" });
  };

  switch (access.state) {
    case "asking":
      return null;
    case "key":
      return <KeyForm wrong={access.wrong} onEnter={enter} />;
    case "refused":
      return (
        <CardPage title="No access to the dashboard">
          <p className="notice bad" role="alert">
            {access.reason}
          </p>
          <div className="choices">
            <button className="button main" onClick={() => setAccess({ state: "asking" })}>
              Try again
            </button>
          </div>
        </CardPage>
      );
    case "open":
      return <Dashboard api={api} onForgetKey={key === null ? null : forget} />;
  }
}
