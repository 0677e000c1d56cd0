interface Props {
  id: string;
  value: string;
  onChange: (value: string) => void;
  problemId: string | null;
}

/** The message to a user. Its text is selected at first, so that typing replaces it. */
export function MessageField({ id, value, onChange, problemId }: Props) {
  return (
    <div className="field">
      <label htmlFor={id}>Message</label>
      <textarea
        id={id}
        rows={3}
        maxLength={500}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onFocus={(event) => event.target.select()}
        dir="auto"
        aria-invalid={problemId !== null}
        aria-describedby={problemId ?? undefined}
        autoFocus
      />
    </div>
  );
}
