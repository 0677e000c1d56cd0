import { useEffect, useMemo, useState } from "react";
import { Api, type Failure } from "./api";
import { Dashboard } from "./Dashboard";
import { forgetKey, keepKey, keptKey } from "./key";
import { KeyForm } from "./KeyForm";
import { Outside } from "./Outside";

/** Whether the server lets us look: not known yet, it asks for the key, it does not let us for another reason, or it does. */
type Access =
  | { readonly state: "asking" | "open" }
  | { readonly state: "key"; readonly wrong: boolean }
  | { readonly state: "refused"; readonly words: string };

/** Shows the dashboard to whom the server answers, and else what it wants. */
export function App() {
  const [key, setKey] = useState(keptKey);
  const [access, setAccess] = useState<Access>({ state: "asking" });

  const api = useMemo(() => {
    const refused = (why: Failure) => {
      setAccess(why.status === 401 ? { state: "key", wrong: key !== null } : { state: "refused", words: why.message });
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
      // A server that cannot be reached or has no Redis: the dashboard says so, and goes on asking.
      api.stats(end.signal).then(open, open);
      return () => end.abort();
    }
    return undefined;
  }, [access.state, api]);

  const enter = (given: string) => {
    keepKey(given);
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
        <Outside title="The dashboard is closed to you">
          <p className="notice bad" role="alert">
            {access.words}
          </p>
          <div className="choices">
            <button className="button main" onClick={() => setAccess({ state: "asking" })}>
              Try again
            </button>
          </div>
        </Outside>
      );
    case "open":
      return <Dashboard api={api} onForgetKey={key === null ? null : forget} />;
  }
}
