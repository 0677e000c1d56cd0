import { initialsOf, toneOf } from "./people";

/** The initials of a person on a colour of their own. The name stands beside it, so it is silent. */
export function Avatar({ userId, name }: { userId: string; name: string }) {
  return (
    <span className={`avatar tone-${toneOf(userId)}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
