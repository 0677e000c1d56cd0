import { type FormEvent, useRef, useState } from "react";
import { Api, Failure } from "./api";
import { CardPage } from "./CardPage";

const WRONG = "The server does not accept this key.";
/** Characters that a header can carry. */
const POSSIBLE = /^[\x21-\x7e]+$/;

/** Asks for the API key. Checks it with the server first, so a wrong key is never stored. */
export function KeyForm({ wrong, onEnter }: { wrong: boolean; onEnter: (key: string) => void }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(wrong ? "The server no longer accepts this tab’s key." : "");
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = key.trim();
    setBusy(true);
    const why = POSSIBLE.test(given) ? await refusal(given) : WRONG;
    setBusy(false);
    setProblem(why ?? "");
    if (why === null) {
      onEnter(given);
    } else {
      input.current?.select();
    }
  };

  return (
    <CardPage title="Operator dashboard">
      <p className="soft">Rooms, users, nodes and their health. You need this server’s API key.</p>
      {problem !== "" && (
        <p className="notice bad" role="alert" id="key-problem">
          {problem}
        </p>
      )}
      <form onSubmit={(event) => void submit(event)}>
        <div className="field">
          <label htmlFor="key">API key</label>
          <input
            id="key"
            ref={input}
            type="password"
            value={key}
            onChange={(event) => setKey(event.target.value)}
            required
            autoFocus
            autoComplete="off"
            spellCheck={false}
            aria-invalid={problem !== ""}
            aria-describedby={problem === "" ? "key-note" : "key-problem key-note"}
          />
          <small id="key-note">
            The value of <code>--api-key</code>, or of <code>--api-read-key</code> to only look. This tab forgets it when you close it.
          </small>
        </div>
        <button className="button main" disabled={busy}>
          Open
        </button>
      </form>
    </CardPage>
  );
}

/** Why the server refuses this key; null if it accepts it. */
async function refusal(key: string): Promise<string | null> {
  try {
    await new Api(key).stats();
    return null;
  } catch (error) {
    const { status, message } = error as Failure;
    // A 503 means that Redis is unreachable; the server checked the key before that.
    return status === 503 ? null : status === 401 ? WRONG : message;
  }
}
