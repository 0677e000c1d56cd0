import { initialsOf, toneOf } from "./people";

/** A user's initials on their colour. Hidden from screen readers, because the name is next to it. */
export function Avatar({ userId, name }: { userId: string; name: string }) {
  return (
    <span className={`avatar tone-${toneOf(userId)}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
