import { type FormEvent, useRef, useState } from "react";
import { Api, Failure } from "./api";
import { Outside } from "./Outside";

const WRONG = "That is not the key of this server.";
/** What fits into a header. */
const POSSIBLE = /^[\x21-\x7e]+$/;

/** Asks for the API key, and lets in with the right one only: a wrong one is never kept. */
export function KeyForm({ wrong, onEnter }: { wrong: boolean; onEnter: (key: string) => void }) {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(wrong ? "The server does not take the key of this tab any more." : "");
  const [busy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const given = key.trim();
    setBusy(true);
    const no = POSSIBLE.test(given) ? await refusal(given) : WRONG;
    setBusy(false);
    setProblem(no ?? "");
    if (no === null) {
      onEnter(given);
    } else {
      input.current?.select();
    }
  };

  return (
    <Outside title="The operators’ dashboard">
      <p className="soft">Rooms, people, servers and how they are doing. This server shows it to those who have its API key.</p>
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
            What <code>--api-key</code> or <code>HADIR_API_KEY</code> gave to the server. It stays in this tab and is gone with it.
          </small>
        </div>
        <button className="button main" disabled={busy}>
          Open
        </button>
      </form>
    </Outside>
  );
}

/** Why the server does not take this key, null if it does. */
async function refusal(key: string): Promise<string | null> {
  try {
    await new Api(key).stats();
    return null;
  } catch (error) {
    const { status, message } = error as Failure;
    // Without Redis it has no numbers, but it has looked at the key.
    return status === 503 ? null : status === 401 ? WRONG : message;
  }
}
