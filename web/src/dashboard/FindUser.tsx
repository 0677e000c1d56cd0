import { type FormEvent, useContext, useState } from "react";
import { GoContext } from "./address";

/** Opens a user by their id. */
export function FindUser() {
  const go = useContext(GoContext);
  const [typed, setTyped] = useState("");
  const find = (event: FormEvent) => {
    event.preventDefault();
    const user = typed.trim();
    if (user !== "") {
      setTyped("");
      go({ room: null, user });
    }
  };
  return (
    <form className="find" role="search" aria-label="Users" onSubmit={find}>
      <input
        type="search"
        aria-label="Find a user by id"
        placeholder="User id or part of it"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        maxLength={128}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
      />
      <button className="button">Find</button>
    </form>
  );
}
