import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { ReadOnlyNote, useMayChange } from "./access";
import { type Api, Failure, type RoomDetails, type RoomSettings as Settings } from "./api";
import { duration } from "./format";

type Name = keyof Settings;
type Draft = Record<Name, string>;

/** A message below the form, or at a field if the server refused its value. */
interface Said {
  readonly field: string | null;
  readonly bad: boolean;
  readonly words: string;
}

const NOTHING: Said = { field: null, bad: false, words: "" };

interface Props {
  api: Api;
  room: RoomDetails;
  onChange: () => void;
}

/** A form for the room's settings. The server validates them, and its message appears at the invalid field. */
export function RoomSettings({ api, room, onChange }: Props) {
  const mayChange = useMayChange();
  const [saved, setSaved] = useState(room.settings);
  const [draft, setDraft] = useState(draftOf(saved));
  const [said, setSaid] = useState(NOTHING);
  const [busy, setBusy] = useState(false);
  const before = draftOf(saved);
  const changed = NAMES.some((name) => draft[name] !== before[name]);

  // Another operator's change is shown, unless this form has unsaved changes.
  const theirs = JSON.stringify(room.settings);
  useEffect(() => {
    if (!changed) {
      setSaved(room.settings);
      setDraft(draftOf(room.settings));
    }
  }, [theirs]);

  const change = async (made: Promise<Settings>, words: string) => {
    setBusy(true);
    try {
      const now = await made;
      setSaved(now);
      setDraft(draftOf(now));
      setSaid({ field: null, bad: false, words });
      onChange();
    } catch (error) {
      const { message, field } = error as Failure;
      setSaid({ field: NAMES.some((name) => name === field) ? field : null, bad: true, words: message });
    }
    setBusy(false);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    const settings = {
      ttlSeconds: numberOf(draft.ttlSeconds),
      awaySeconds: numberOf(draft.awaySeconds),
      inactivityMessage: draft.inactivityMessage === "" ? null : draft.inactivityMessage,
      maxParticipants: numberOf(draft.maxParticipants),
    };
    void change(api.saveSettings(room.roomId, settings), "Saved. Applies from the next join or heartbeat.");
  };
  const isSet = NAMES.some((name) => saved[name] !== null);

  const field = (name: Name, label: string, note: ReactNode, placeholder: string) => {
    const bad = said.bad && said.field === name;
    const shared = {
      id: `setting-${name}`,
      value: draft[name],
      onChange: (event: { target: { value: string } }) => {
        setDraft({ ...draft, [name]: event.target.value });
        setSaid(NOTHING);
      },
      placeholder,
      readOnly: !mayChange,
      autoComplete: "off",
      "aria-invalid": bad,
      "aria-describedby": bad ? `problem-${name} note-${name}` : `note-${name}`,
    };
    return (
      <div className={`field ${name}`}>
        <label htmlFor={shared.id}>{label}</label>
        {name === "inactivityMessage" ? <textarea rows={2} dir="auto" {...shared} /> : <input inputMode="numeric" {...shared} />}
        {bad && (
          <p className="problem small" role="alert" id={`problem-${name}`}>
            {said.words}
          </p>
        )}
        <small id={`note-${name}`}>{note}</small>
      </div>
    );
  };

  return (
    <form className="settings" onSubmit={save} noValidate>
      {field(
        "ttlSeconds",
        "TTL in seconds",
        <>How long a user stays present without a heartbeat. Now {duration(room.ttlSeconds * 1000)}.</>,
        saved.ttlSeconds === null ? `${room.ttlSeconds}, the server default` : "server default",
      )}
      {field("awaySeconds", "Away in seconds", "How long a user whose app is in the background stays.", "server default")}
      {field("maxParticipants", "Maximum participants", "Users who are already in the room stay.", "no limit")}
      {field(
        "inactivityMessage",
        "Inactivity message",
        "Shown in the popup when a user’s TTL has run out.",
        "server default",
      )}
      {mayChange ? (
        <div className="choices">
          <button className="button main" disabled={busy || !changed}>
            Save
          </button>
          <button
            className="button"
            type="button"
            disabled={busy || (!isSet && !changed)}
            onClick={() => void change(api.resetSettings(room.roomId), "Reset. The server defaults apply.")}
          >
            Reset to default
          </button>
          <p className={said.bad ? "said problem" : "said"} role="status">
            {said.field === null && said.words}
          </p>
        </div>
      ) : (
        <ReadOnlyNote />
      )}
    </form>
  );
}

const NAMES: readonly Name[] = ["ttlSeconds", "awaySeconds", "maxParticipants", "inactivityMessage"];

function draftOf(settings: Settings): Draft {
  const text = (value: number | string | null) => (value === null ? "" : String(value));
  return {
    ttlSeconds: text(settings.ttlSeconds),
    awaySeconds: text(settings.awaySeconds),
    inactivityMessage: text(settings.inactivityMessage),
    maxParticipants: text(settings.maxParticipants),
  };
}

/** A value that is not a number is sent as it is, and the server says what it expects. */
function numberOf(text: string): number | string | null {
  const plain = text.trim();
  return plain === "" ? null : /^-?\d{1,15}$/.test(plain) ? Number(plain) : plain;
}
