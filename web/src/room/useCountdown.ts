import { useEffect, useState } from "react";

/** Counts down whole seconds from when `running` became true; null while it is false. */
export function useCountdown(running: boolean, seconds: number): number | null {
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    if (!running) {
      setLeft(null);
      return;
    }
    const end = Date.now() + seconds * 1000;
    const update = () => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
    update();
    const timer = setInterval(update, 250);
    return () => clearInterval(timer);
  }, [running, seconds]);
  return left;
}
