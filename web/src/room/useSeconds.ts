import { useEffect, useState } from "react";

/** Whole seconds of this many that are left, counted from when `running` became true; null while it is not. */
export function useSeconds(running: boolean, seconds: number): number | null {
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    if (!running) {
      setLeft(null);
      return;
    }
    const end = Date.now() + seconds * 1000;
    const look = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    look();
    const timer = setInterval(look, 250);
    return () => clearInterval(timer);
  }, [running, seconds]);
  return left;
}
