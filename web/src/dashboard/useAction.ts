import { useState } from "react";

/** Runs actions one at a time: whether one runs, and why the last one failed. */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const run = (act: () => Promise<void>) => {
    setBusy(true);
    setProblem("");
    act()
      .catch((error: Error) => setProblem(error.message))
      .finally(() => setBusy(false));
  };
  return { busy, problem, run };
}
